// The consumer warpgroups of compression attention on Hopper: scores, lists, softmax and outputs, key tile by
// key tile.
#pragma once

#include "kernels/attention_core/pingpong.cuh"
#include "kernels/attention_core/staged_outputs.cuh"
#include "kernels/common/hopper/row_boxes.cuh"
#include "kernels/compression_attention/hopper_core/running_lists.cuh"
#include "kernels/compression_attention/hopper_core/shape.cuh"
#include "kernels/compression_attention/int8_scores.cuh"

namespace ablate::compression_attention::by_warpgroup {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// A warpgroup with its 64 queries.
template <forward_config C, class Chooser>
class consumer {
 public:
  using memory = memory_of<C, Chooser>;
  static_assert(C.query_buffers == 1 && C.block.overlaps);

  __device__ consumer(const tensor_maps& maps, const view& v, int keys_before, memory& shared, int group)
      : maps_(maps),
        v_(v),
        keys_before_(keys_before),
        shared_(shared),
        group_(group),
        queries_(hopper::matrix_descriptor<key_swizzle>(hopper::shared_address(shared.queries[group]))),
        keys_(hopper::matrix_descriptor<key_swizzle>(hopper::shared_address(shared.keys[0])),
              shared.keys_full, shared.keys_empty),
        values_(hopper::matrix_descriptor<swizzle>(hopper::shared_address(shared.values[0]),
                                                   C.block.tile_bytes()),
                shared.values_full, shared.values_empty),
        chooser_(v, shared.of_warp[group][warp()]),
        softmax_(v.scale_log2) {}

  __device__ void run() {
    if (C.pingpong && group_ == C.block.groups - 1) pass_turn();
    const query_tiles<C> tiles(v_);
    for (long long i = blockIdx.x; i < tiles.count(); i += gridDim.x)
      attend(tiles.head(i), tiles.first_row(i));
    if (leads_group()) cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
  }

 private:
  using swizzle = row_swizzle<width>;
  using key_swizzle = hopper::swizzle<C.key_row_bytes()>;
  using outputs = float[width / 2];
  static constexpr int keys_per_tile = C.block.keys;
  using scores = warpgroup_scores<keys_per_tile>;
  /// Products of int8 before they are scores.
  struct no_sums {};
  struct int8_sums {
    int of[keys_per_tile / 2];
  };
  using sums = std::conditional_t<C.int8_scores, int8_sums, no_sums>;
  using probabilities = unsigned[keys_per_tile / 4];

  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32 % 4; }
  __device__ static bool leads_group() { return threadIdx.x % 128 == 0; }
  __device__ void await_turn() { await_turn_of(group_); }
  __device__ void pass_turn() { pass_turn_from<C.block.groups>(group_); }

  __device__ void issue_scores_of(scores& s, [[maybe_unused]] sums& int8) {
    keys_.await();
    hopper::wgmma_fence();
    if constexpr (C.int8_scores) {
      constexpr unsigned step_bytes = 32;
#pragma unroll
      for (unsigned step = 0; step < C.key_row_bytes() / step_bytes; ++step)
        hopper::multiply_int8(int8.of, hopper::moved_by(queries_, step * step_bytes),
                              hopper::moved_by(keys_.descriptor(), step * step_bytes), step > 0);
      hopper::wgmma_commit();
    } else {
      issue_scores<width>(s, queries_, keys_.descriptor());
    }
  }
  __device__ void issue_outputs_of(outputs& o, const probabilities& p, bool accumulates) {
    values_.await();
    hopper::wgmma_fence();
    issue_outputs<width, width>(o, p, values_.descriptor(), accumulates);
  }
  /// After a wait for the MMA.
  __device__ void take_scores(scores& s, [[maybe_unused]] sums& int8) {
    if constexpr (C.int8_scores)
      hopper::fence_operand(int8.of);
    else
      hopper::fence_operand(s);
    if constexpr (C.kept_blocks) {
      there_ = shared_.there[there_at_.stage];
      there_at_.template advance<C.block.stages>();
      __syncwarp();  // leave() is by lane 0, for all
    }
    keys_.leave();
    if constexpr (C.int8_scores)
#pragma unroll
      for (int i = 0; i < keys_per_tile / 2; ++i)
        s[i] =
            score_of_sum(int8.of[i], i < keys_per_tile / 4 ? there_.scale_of_first : there_.scale_of_second);
  }
  __device__ void take_outputs(outputs& o) {
    hopper::fence_operand(o);
    values_.leave();
  }

  /// Keys of a tile that do not exist.
  __device__ void mask_boxes(scores& s) const {
#pragma unroll
    for (int i = 0; i < keys_per_tile / 2; ++i) {
      const int in_tile = static_cast<int>(8 * (i / 4) + 2 * (threadIdx.x % 4) + i % 2);
      const bool is_second = i >= keys_per_tile / 4;
      if (in_tile % keys_per_box<C> >= (is_second ? there_.of_second : there_.of_first)) s[i] = -INFINITY;
    }
  }

  /// Keys of the last tile that do not exist.
  __device__ void mask(scores& s, int tile) const {
    const int left = static_cast<int>(v_.key_rows) - tile * keys_per_tile;
#pragma unroll
    for (int i = 0; i < keys_per_tile / 2; ++i)
      if (static_cast<int>(8 * (i / 4) + 2 * (threadIdx.x % 4) + i % 2) >= left) s[i] = -INFINITY;
  }

  /// Scores of a tile into probabilities; whether outputs so far are to be rescaled.
  __device__ bool weigh(scores& s, int tile, float (&rescale)[2]) {
    if constexpr (C.kept_blocks) {
      if (there_.of_first + there_.of_second < keys_per_tile) mask_boxes(s);
    } else {
      if ((tile + 1) * keys_per_tile > v_.key_rows) mask(s, tile);
    }
    warpgroup_maxima<keys_per_tile / keys_per_group> most;
    find_maxima(s, most);
    chooser_.see(s, most, tile * keys_per_tile);
    const bool raised = softmax_.raise(most, rescale);
    softmax_.apply(s);
    return raised;
  }

  /// Meets the scores of the first tiles ahead of the pass.
  __device__ void seed(scores& s, sums& int8, const key_tiles& tiles) {
    typename Chooser::cells best;
    const int count = seeding_tiles<C>(tiles);
#pragma unroll 1
    for (int tile = 0; tile < count; ++tile) {
      issue_scores_of(s, int8);
      hopper::wgmma_wait<0>();
      take_scores(s, int8);
      if ((tiles[tile] + 1) * keys_per_tile > v_.key_rows) mask(s, tiles[tile]);
      // Keys that are not listed reach nothing; the others of their tile are left out as well.
      if (tiles[tile] * keys_per_tile < static_cast<int>(v_.first_listed)) continue;
      warpgroup_maxima<keys_per_tile / keys_per_group> most;
      find_maxima(s, most);
      best.see(most);
    }
    chooser_.seed(best, count);
  }

  /// `first_query`: of the block.
  __device__ void attend(int head, int first_query) {
    using namespace hopper;
    const auto tiles = tiles_of<C>(v_, head, first_query, keys_before_);
    const int first_row = first_query + group_ * rows_per_group;
    chooser_.begin(static_cast<int>(v_.rows) - first_row - rows_of_warp * warp());
    softmax_.begin();
    scores s;
    sums int8;
    outputs o;
    probabilities p;
    float rescale[2];
    wait(shared_.queries_full[group_], queries_parity_);
    if constexpr (Chooser::is_seeded) seed(s, int8, tiles);
    issue_scores_of(s, int8);
    wgmma_wait<0>();
    take_scores(s, int8);
    weigh(s, tiles.first, rescale);
    pack_probabilities(p, s);
#pragma unroll 1
    for (int tile = 1; tile < tiles.count; ++tile) {
      if (tiles.wraps_at(tile)) chooser_.meet_lower_keys();
      if constexpr (C.pingpong) await_turn();
      issue_scores_of(s, int8);
      issue_outputs_of(o, p, tile > 1);
      if constexpr (C.pingpong) pass_turn();
      // All warps of a group wait for MMAs at the same places (PTX ISA, wgmma.wait_group), so that one which
      // merges lists cannot wait for outputs by itself.
      constexpr bool overlaps = Chooser::sees_while_multiplying;
      wgmma_wait<(overlaps ? 1 : 0)>();
      take_scores(s, int8);
      if constexpr (!overlaps) take_outputs(o);
      const bool raised = weigh(s, tiles[tile], rescale);
      if constexpr (overlaps) {
        wgmma_wait<0>();
        take_outputs(o);
      }
      if (raised) {
#pragma unroll
        for (int i = 0; i < width / 2; ++i) o[i] *= rescale[i >> 1 & 1];
      }
      pack_probabilities(p, s);
    }
    issue_outputs_of(o, p, tiles.count > 1);
    wgmma_wait<0>();
    take_outputs(o);
    float inverse[2], lse[2];
    softmax_.finish(inverse, lse);
    store(head, first_row, o, inverse, lse);
    chooser_.finish(v_, head, first_row + rows_of_warp * warp());
    release_queries();
  }

  /// The outputs take the queries' place until release_queries.
  __device__ void store(int head, int first_row, const outputs& o, const float (&inverse)[2],
                        const float (&lse)[2]) {
    using namespace hopper;
    stage_outputs<width>(shared_.queries[group_], o, inverse);
    fence_shared_for_async();
    named_barrier_wait(group_barrier(group_), 128);
    if (leads_group()) {
      copy_box_out<width>(maps_.outputs, first_row, 0, head, shared_.queries[group_]);
      cuda::ptx::cp_async_bulk_commit_group();
    }
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int row = first_row + rows_of_warp * warp() + lane / 4;
    if (lane % 4 != 0) return;
    for (int j = 0; j < 2; ++j) {
      const long long at = head * v_.rows + row + 8 * j;
      if (row + 8 * j < v_.rows) v_.lse[at] = C.int8_scores ? lse[j] + v_.int8.offsets[at] : lse[j];
    }
  }

  __device__ void release_queries() {
    queries_parity_ ^= 1;
    if (!leads_group()) return;
    cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
    hopper::arrive(shared_.queries_empty[group_]);
  }

  const tensor_maps& maps_;
  const view& v_;
  int keys_before_;
  memory& shared_;
  int group_;
  std::uint64_t queries_;
  unsigned queries_parity_ = 0;
  keys_there there_{};  ///< of the tile whose scores were taken last; of kept blocks alone
  hopper::ring_position there_at_;
  hopper::tile_ring<C.block.stages, (C.key_tile_bytes() >> 4)> keys_;
  hopper::tile_ring<C.block.stages, (C.block.tile_bytes() >> 4)> values_;
  Chooser chooser_;
  lazy_softmax softmax_;
};

#endif

}  // namespace ablate::compression_attention::by_warpgroup
