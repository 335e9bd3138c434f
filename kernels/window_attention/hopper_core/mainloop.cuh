// The consumer warpgroups of the forward core: scores, softmax and outputs, key tile by key tile.
#pragma once

#include "kernels/attention_core/fixed_maximum.cuh"
#include "kernels/attention_core/pingpong.cuh"
#include "kernels/attention_core/products.cuh"
#include "kernels/attention_core/row_softmax.cuh"
#include "kernels/common/hopper/row_boxes.cuh"
#include "kernels/window_attention/hopper_core/epilogue.cuh"
#include "kernels/window_attention/hopper_core/memory.cuh"
#include "kernels/window_attention/hopper_core/score_bound.cuh"
#include "kernels/window_attention/hopper_core/tile_scheduler.cuh"

namespace ablate::window_attention {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// Called by all threads of the block, before its barrier.
template <block_shape Block, unsigned Bytes>
__device__ inline void write_ones(unsigned char (&ones)[Bytes]) {
  constexpr unsigned two_ones = 0x3f803f80;
  for (unsigned i = threadIdx.x; i < Bytes / sizeof(unsigned); i += Block.threads())
    reinterpret_cast<unsigned*>(ones)[i] = two_ones;
  hopper::fence_shared_for_async();
}

/// A warpgroup with its 64 queries.
template <forward_config C>
class consumer {
 public:
  using memory = memory_of<C>;
  static_assert(C.query_buffers == 2);

  __device__ consumer(const forward_maps& maps, const view& v, memory& shared, int group)
      : maps_(maps),
        v_(v),
        shared_(shared),
        group_(group),
        queries_(hopper::matrix_descriptor<swizzle>(hopper::shared_address(shared.queries[0][group]))),
        keys_(hopper::matrix_descriptor<swizzle>(hopper::shared_address(shared.keys[0])), shared.keys_full,
              shared.keys_empty),
        // The ones are at a fixed address, so their distance from the values shrinks with each stage.
        values_(hopper::matrix_descriptor<swizzle>(
                    hopper::shared_address(shared.values[0]),
                    C.softmax.sums_by_product
                        ? hopper::shared_address(shared.ones) - hopper::shared_address(shared.values[0])
                        : keys_per_tile * C.block.span_bytes()),
                shared.values_full, shared.values_empty) {}

  /// Before the first tile: as if the block had done so many.
  __device__ void skip(unsigned tiles) {
    const unsigned key_tiles = tiles * static_cast<unsigned>(v_.window / keys_per_tile);
    queries_at_ = hopper::ring_position::after<2>(tiles);
    keys_.skip(key_tiles);
    values_.skip(key_tiles);
  }

  template <class Tiles = all_tiles>
  __device__ void run(const Tiles& taken = {}) {
    if (C.pingpong && group_ == C.block.groups - 1) pass_turn();
    const long long tiles = tile_count<C.from_list>(v_);
    if (blockIdx.x >= tiles) return;
    float s[keys_per_tile / 2];
    if constexpr (C.block.overlaps) compute_first_scores(s);
    for (long long i = blockIdx.x; i < tiles; i += gridDim.x) {
      if (!taken.has(i)) continue;
      const query_tile t = tile_of<C.block>(v_, tile_index<C.from_list>(v_, i));
      const bool is_last = i + gridDim.x >= tiles;
      if constexpr (C.softmax.form == softmax_form::bounded) {
        hopper::wait(shared_.queries_full[queries_at_.stage], queries_at_.parity);
        if (scores_are_bounded<C.block>(v_, t, shared_, group_, shared_.queries[queries_at_.stage][group_]))
          attend<softmax_form::bounded>(t, s, is_last);
        else
          attend<softmax_form::online>(t, s, is_last);
      } else {
        attend<C.softmax.form>(t, s, is_last);
      }
    }
    if (leads_group()) cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
  }

 protected:
  using swizzle = row_swizzle<C.block.width>;
  static constexpr int columns = C.block.width + (C.softmax.sums_by_product ? 8 : 0);

  __device__ static bool leads_group() { return threadIdx.x % 128 == 0; }
  __device__ static void release(hopper::barrier& empty) {
    if (threadIdx.x % 32 == 0) hopper::arrive(empty);
  }
  __device__ void await_turn() { await_turn_of(group_); }
  __device__ void pass_turn() { pass_turn_from<C.block.groups>(group_); }

  __device__ void issue_scores_of(float (&s)[keys_per_tile / 2]) {
    keys_.await();
    hopper::wgmma_fence();
    issue_scores<C.block.width>(
        s, hopper::moved_by(queries_, queries_at_.stage * C.block.groups * C.block.group_bytes()),
        keys_.descriptor());
  }
  __device__ void issue_first_scores(float (&s)[keys_per_tile / 2]) {
    hopper::wait(shared_.queries_full[queries_at_.stage], queries_at_.parity);
    issue_scores_of(s);
  }
  __device__ void compute_first_scores(float (&s)[keys_per_tile / 2]) {
    issue_first_scores(s);
    hopper::wgmma_wait<0>();
    take_scores(s);
  }
  /// The first row of the queries that leave_queries released last.
  __device__ int rows_of_left_queries() const {
    return shared_.query_rows[(2 * queries_at_.parity + queries_at_.stage + 3) % 4][group_];
  }
  /// Advances to the next queries, once the last MMA with the current ones is complete.
  __device__ void leave_queries() {
    release(shared_.queries_empty[queries_at_.stage]);
    queries_at_.template advance<2>();
  }
  __device__ void issue_outputs_of(float (&o)[columns / 2], const unsigned (&p)[keys_per_tile / 4],
                                   bool accumulates) {
    values_.await();
    hopper::wgmma_fence();
    issue_outputs<C.block.width, columns>(o, p, values_.descriptor(), accumulates);
  }
  /// After a wait for the MMA.
  __device__ void take_scores(float (&s)[keys_per_tile / 2]) {
    hopper::fence_operand(s);
    keys_.leave();
  }
  __device__ void take_outputs(float (&o)[columns / 2]) {
    hopper::fence_operand(o);
    values_.leave();
  }

  /// With overlapping MMAs, `s` holds the scores of the first keys on entry, and those of the next query tile
  /// on return.
  template <softmax_form Form>
  __device__ void attend(const query_tile& t, float (&s)[keys_per_tile / 2], bool is_last) {
    using namespace hopper;
    const int key_tiles = v_.window / keys_per_tile;
    row_softmax<in_form(C.softmax, Form)> softmax;
    softmax.begin();
    float o[columns / 2], rescale[2];
    unsigned p[keys_per_tile / 4];
    if constexpr (!C.block.overlaps) compute_first_scores(s);
    softmax.look_at_first(s, v_.scale_log2);
    softmax.apply(s, v_.scale_log2, rescale);
    softmax.pack(p, s, v_.scale_log2);
#pragma unroll 1
    for (int tile = 1; tile < key_tiles; ++tile) {
      if constexpr (C.pingpong) await_turn();
      if constexpr (C.block.overlaps) {
        issue_scores_of(s);
        issue_outputs_of(o, p, tile > 1);
        if constexpr (C.pingpong) pass_turn();
        wgmma_wait<1>();
        take_scores(s);
        softmax.apply(s, v_.scale_log2, rescale);
        wgmma_wait<0>();
        take_outputs(o);
      } else {
        issue_outputs_of(o, p, tile > 1);
        wgmma_wait<0>();
        take_outputs(o);
        issue_scores_of(s);
        wgmma_wait<0>();
        take_scores(s);
        if constexpr (C.pingpong) pass_turn();
        softmax.apply(s, v_.scale_log2, rescale);
      }
      if constexpr (Form == softmax_form::online) {
#pragma unroll
        for (int i = 0; i < columns / 2; ++i) o[i] *= rescale[i >> 1 & 1];
      }
      softmax.pack(p, s, v_.scale_log2);
    }
    leave_queries();
    if (!C.block.overlaps || is_last) {
      issue_outputs_of(o, p, key_tiles > 1);
      wgmma_wait<0>();
    } else {
      // The next tile's first scores are computed by the time these outputs are stored.
      issue_first_scores(s);
      issue_outputs_of(o, p, key_tiles > 1);
      wgmma_wait<0>();
      take_scores(s);
    }
    take_outputs(o);
    finish(t, o, softmax);
  }

  /// Normalizes and stores the outputs of a query tile, or notes that it has to be done again.
  template <class Softmax>
  __device__ void finish(const query_tile& t, const float (&o)[columns / 2], const Softmax& softmax) {
    float sums[2];
    for (int r = 0; r < 2; ++r)
      sums[r] = C.softmax.sums_by_product ? o[C.block.width / 2 + 2 * r] : softmax.whole_sum(r);
    if constexpr (Softmax::form != softmax_form::online) {
      // A group past the window's end has nothing to redo.
      const int token = (t.first_block + group_) * rows_per_group;
      const bool is_right = sum_is_in_range(sums[0]) && sum_is_in_range(sums[1]) && all_finite(o);
      if (!__all_sync(~0u, is_right) && token < v_.window && threadIdx.x % 32 == 0) {
        if constexpr (C.inline_retry)
          atomicOr(&shared_.again, tile_sets::set_of(index_of<C.block>(v_, t)));
        else
          list_again<C.block.listed_rows()>(v_, t, token);
      }
    }
    const float inverse[2] = {1 / sums[0], 1 / sums[1]};
    const float lse[2] = {softmax.lse(0, sums[0], v_.scale_log2), softmax.lse(1, sums[1], v_.scale_log2)};
    store(t, o, inverse, lse);
  }

  __device__ void store(const query_tile& t, const float (&o)[columns / 2], const float (&inverse)[2],
                        const float (&lse)[2]) {
    using namespace hopper;
    const int block = t.first_block + group_;
    const bool is_there = block * rows_per_group < v_.window;
    // Once its issuer arrives, the previous copy has finished reading the buffer.
    if (leads_group()) cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
    named_barrier_wait(group_barrier(group_), 128);
    stage_outputs<C.block.width>(shared_.outputs[group_], o, inverse);
    fence_shared_for_async();
    named_barrier_wait(group_barrier(group_), 128);
    if (!is_there) return;
    if constexpr (C.scattered_rows)
      return store_by_index<C.block>(v_, t, block, shared_.outputs[group_], lse);
    const int row = rows_of_left_queries();
    if (leads_group()) {
      copy_box_out<C.block.width>(maps_.outputs, row, t.head, t.batch, shared_.outputs[group_]);
      cuda::ptx::cp_async_bulk_commit_group();
    }
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    if (lane % 4 != 0) return;
    float* const to = v_.lse + (static_cast<long long>(t.batch) * v_.heads + t.head) * v_.tokens + row;
    for (int r = 0; r < 2; ++r) to[16 * warp + lane / 4 + 8 * r] = lse[r];
  }

  const forward_maps& maps_;
  const view& v_;
  memory& shared_;
  int group_;
  std::uint64_t queries_;  ///< descriptor of the first buffer
  hopper::ring_position queries_at_;
  /// The descriptor increment per stage; the values' leading dimension, 16 bits above the address, points to
  /// the ones, which do not move.
  static constexpr unsigned keys_step = C.block.tile_bytes() >> 4,
                            values_step =
                                C.softmax.sums_by_product ? keys_step - (keys_step << 16) : keys_step;
  hopper::tile_ring<C.block.stages, keys_step> keys_;
  hopper::tile_ring<C.block.stages, values_step> values_;
};

#endif

}  // namespace ablate::window_attention
