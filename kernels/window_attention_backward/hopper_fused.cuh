// All gradients in one kernel of warpgroup MMAs. Each warpgroup keeps 64 keys, with their dK and dV in
// registers; tiles of queries stream past:
//   Sᵀ = K·Qᵀ, dPᵀ = V·dOᵀ (keys × queries, both operands in shared memory); P and dS stay in registers as
//   the register operands of dV += Pᵀ·dO and dK += dSᵀ·Q; dS is also written, transposed, to shared memory,
//   where the keys of the warpgroups that share it meet: dQ = dS·K, each warpgroup computing some of its rows
//   or columns.
// Five products instead of the two passes' seven, and one exponential per score instead of two. A block has
// only a partial dQ, which it writes to fp32 buffers in device memory: by a reducing bulk copy, by vector
// reductions, or by a bulk copy into a buffer of its own. There the numbers keep the accumulators' order,
// each warp's contiguous, until round_fused_gradients (query_gradient_numbers.cuh), or whichever block adds
// last (last_rounding.cuh), reorders them.
// One thread issues the TMA copies: K and V once, then Q with its rows' statistics and dO, each through its
// own ring. The scores of the next tile are issued before dQ of this one, its dP before dK is complete.
// Persistent blocks take one block of keys after the other: the next keys come into buffers of their own, the
// rings turn on, and so do the products, so that dK and dV are stored while the next scores are multiplied.
// Should move, against two passes: the tensor pipe's instructions, down to 5/7, exponentials to 1/2; shared
// memory's bandwidth is what still limits.
#pragma once

#include <cuda/atomic>

#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/common/hopper/row_boxes.cuh"
#include "kernels/common/hopper/wgmma.cuh"
#include "kernels/common/min_max.h"
#include "kernels/common/softmax_math.cuh"
#include "kernels/window_attention_backward/fused_shape.cuh"
#include "kernels/window_attention_backward/key_blocks.cuh"
#include "kernels/window_attention_backward/last_rounding.cuh"
#include "kernels/window_attention_backward/query_gradient_numbers.cuh"
#include "kernels/window_attention_backward/row_sums.cuh"
#include "kernels/window_attention_backward/view.cuh"

namespace ablate::window_attention_backward {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// After stores of row statistics: bulk copies that begin after this, of threads that are told, read them.
__device__ inline void publish_statistics() {
  __threadfence();
  cuda::ptx::fence_proxy_async();
  __syncwarp();
}

/// The warps beside the producer's: sum the rows of the block's windows, while these before them are passed.
template <class Shape, query_gradient_way Way>
__device__ void sum_next_windows(const view& v, key_block_memory<Shape, Way>& shared) {
  using blocks = key_blocks<Shape, Way>;
  const int warp = static_cast<int>(threadIdx.x) / 32 - 1;
  const unsigned together = blocks::of_window(v);
#pragma unroll 1
  for (unsigned n = together; n < blocks::count(v); n += together) {
    sum_rows_of_window<Shape::width, statistics_order::quads>(v, blocks::nth(v, n), warp, 3);
    publish_statistics();
    if (threadIdx.x % 32 == 0)
      cuda::atomic_ref<unsigned, cuda::thread_scope_block>(shared.summed[warp])
          .store(n / together, cuda::memory_order_release);
  }
}

/// The producer thread. `SumsRows`: the block computes row statistics, which it waits for.
template <class Shape, query_gradient_way Way, bool SumsRows>
class fused_copies {
 public:
  using memory = key_block_memory<Shape, Way>;

  __device__ fused_copies(const fused_maps& maps, const view& v, memory& shared)
      : maps_(maps), v_(v), shared_(shared) {}

  /// Of the n-th block of keys.
  __device__ void copy(const row_block& b, unsigned n) {
    using namespace hopper;
    copy_keys(b, n);
    if constexpr (SumsRows)
      if (b.first_token == 0) await_sums(n / key_blocks<Shape, Way>::of_window(v_));
    int token = Shape::staggered ? b.first_token / Shape::queries * Shape::queries : 0;
    for (int i = 0; i < v_.window / Shape::queries; ++i) {
      const int row = v_.row_of(b.window, token);
      token = token + Shape::queries < v_.window ? token + Shape::queries : 0;
      copy_queries(b, row);
      if (Shape::persistent && i == 0) copy_values(b, n);
      copy_out_gradients(b, row);
    }
  }

 private:
  static constexpr int width = Shape::width;
  static constexpr unsigned own_bytes = Shape::groups * Shape::group_bytes;

  /// Of the block's n-th window.
  __device__ void await_sums(unsigned n) {
#pragma unroll 1
    for (unsigned& summed : shared_.summed)
      while (cuda::atomic_ref<unsigned, cuda::thread_scope_block>(summed).load(cuda::memory_order_acquire) <
             n) {
      }
    cuda::ptx::fence_proxy_async();
  }

  __device__ void copy_keys(const row_block& b, unsigned n) {
    const unsigned buffer = n % Shape::buffers;
    if constexpr (Shape::persistent) {
      hopper::wait(shared_.k_empty[buffer], n / Shape::buffers % 2 ^ 1);
      shared_.blocks[buffer] = b;
      hopper::arrive_expecting(shared_.k_full[buffer], own_bytes);
    } else {
      hopper::arrive_expecting(shared_.k_full[buffer], 2 * own_bytes);
      copy_own(maps_.v, b, shared_.v[0], shared_.k_full[buffer]);
    }
    copy_own(maps_.k, b, shared_.k[buffer], shared_.k_full[buffer]);
  }
  __device__ void copy_values(const row_block& b, unsigned n) {
    const unsigned buffer = n % Shape::buffers;
    hopper::wait(shared_.v_empty[buffer], n / Shape::buffers % 2 ^ 1);
    hopper::arrive_expecting(shared_.v_full[buffer], own_bytes);
    copy_own(maps_.v, b, shared_.v[buffer], shared_.v_full[buffer]);
  }
  __device__ void copy_own(const CUtensorMap& map, const row_block& b,
                           unsigned char (&to)[Shape::groups][Shape::group_bytes], hopper::barrier& full) {
    for (int g = 0; g < Shape::groups; ++g) {
      // A group past the window's end re-reads its last keys and stores nothing.
      const int token = min(b.first_token + g * keys_of_a_group, v_.window - keys_of_a_group);
      hopper::tma_load<width>(to[g], map, v_.row_of(b.window, token), b.head, b.batch, full);
    }
  }

  __device__ void copy_queries(const row_block& b, int row) {
    using namespace hopper;
    constexpr unsigned statistics_bytes = sizeof shared_.statistics[0];
    const unsigned stage = q_.stage;
    wait(shared_.q_empty[stage], q_.parity ^ 1);
    shared_.rows[stage] = row;
    barrier& full = shared_.q_full[stage];
    arrive_expecting(full, Shape::tile_bytes + statistics_bytes);
    tma_load<width>(shared_.q[stage], maps_.q, row, b.head, b.batch, full);
    cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, shared_.statistics[stage],
                             v_.statistics + v_.place_of_row(b.batch, row, b.head), statistics_bytes, &full);
    q_.template advance<Shape::query_stages>();
  }
  __device__ void copy_out_gradients(const row_block& b, int row) {
    using namespace hopper;
    const unsigned stage = out_gradient_.stage;
    wait(shared_.out_gradient_empty[stage], out_gradient_.parity ^ 1);
    barrier& full = shared_.out_gradient_full[stage];
    arrive_expecting(full, Shape::tile_bytes);
    tma_load<width>(shared_.out_gradient[stage], maps_.out_gradient, row, b.head, b.batch, full);
    out_gradient_.template advance<Shape::gradient_stages>();
  }

  const fused_maps& maps_;
  const view& v_;
  memory& shared_;
  hopper::ring_position q_, out_gradient_;
};

/// Whether a tile of queries follows whose scores and dP are issued meanwhile.
enum class next_tile { none, issued };

/// A warpgroup with its 64 keys, or with 64 of each block of keys.
template <class Shape, query_gradient_way Way>
class fused_keys {
 public:
  __device__ fused_keys(const view& v, const row_block& b, key_block_memory<Shape, Way>& shared, int group)
      : v_(v),
        b_(Shape::persistent ? &shared.blocks[0] : &b),
        shared_(shared),
        unit_(group / Shape::sharing),
        member_(group % Shape::sharing),
        k_(descriptor(shared.k[0][group])),
        v_rows_(descriptor(shared.v[0][group])),
        q_tiles_(descriptor(shared.q[0])),
        out_gradient_tiles_(descriptor(shared.out_gradient[0])) {
    const unsigned lane = threadIdx.x % 32, chunk = 2 * warp() + lane / 8 % 2;
    own_gradients_ = hopper::shared_address(shared.ds[unit_][0][member_]) + (lane / 16 * 8 + lane % 8) * 128 +
                     (chunk ^ lane % 8) * 16;
    const unsigned column_bytes =
        Shape::queries == 64 ? member_ * (Shape::width == 128 ? panel_bytes : 2 * Shape::dq_columns) : 0;
    k_columns_ = hopper::moved_by(descriptor(shared.k[0][unit_ * Shape::sharing]), column_bytes);
    gradient_rows_ = hopper::matrix_descriptor<typename Shape::gradient_swizzle>(
        hopper::shared_address(shared.ds[unit_][0]) + (Shape::queries == 64 ? 0 : member_ * 64 * 128));
  }

  /// Of so many blocks of keys, the first one given at construction.
  __device__ void run(unsigned blocks) {
    using namespace hopper;
    wait(shared_.k_full[0], 0);
    multiply_queries();
    if constexpr (Shape::persistent) wait(shared_.v_full[0], 0);
    multiply_out_gradients();
    const int tiles = v_.window / Shape::queries;
#pragma unroll 1
    for (int left = static_cast<int>(blocks) * tiles; left > 1; --left) {
      const bool is_last = Shape::persistent && tile_ + 1 == tiles;
      pass_tile<next_tile::issued>(is_last);
      tile_ = is_last ? 0 : tile_ + 1;
    }
    pass_tile<next_tile::none>(false);
    wgmma_wait<0>();
    store_gradients();
    if constexpr (last_rounds<Way>)
      say_added();
    else if constexpr (by_bulk_copies<Way>)
      if (threadIdx.x % 32 == 0) cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
  }

 private:
  static constexpr unsigned panel_bytes = keys_of_a_group * 128,  ///< of a warpgroup's keys, width 128
      tile_panel_bytes = Shape::queries * 128, own_bytes = Shape::groups * Shape::group_bytes;

  __device__ static unsigned warp() { return threadIdx.x / 32 % 4; }
  __device__ int token() const {
    return b_->first_token + (unit_ * Shape::sharing + member_) * keys_of_a_group;
  }
  __device__ bool present() const { return token() < v_.window; }
  __device__ static std::uint64_t descriptor(const void* tile) {
    return hopper::matrix_descriptor<typename Shape::swizzle>(hopper::shared_address(tile));
  }

  /// Processes one tile of queries whose scores and dP are already in flight. The next tile's are
  /// issued meanwhile; `turns`: with the next block of keys.
  template <next_tile Next>
  __device__ void pass_tile(bool turns) {
    constexpr bool more = Next == next_tile::issued;
    using namespace hopper;
    const bool accumulates = tile_ > 0;
    // Everything except dP is complete: the scores, and dK of the tile before.
    wgmma_wait<1>();
    fence_operand(s_);
    if (accumulates || block_ > 0) leave(shared_.q_empty[before_q_]);
    const float* const statistics = shared_.statistics[q_at_.stage] + threadIdx.x % 4 * 4;
    probabilities(statistics);
    wgmma_wait<0>();
    fence_operand(dp_);
    if (Shape::persistent && turns) leave(shared_.v_empty[block_ % Shape::buffers]);
    score_gradients(statistics + 16);

    const std::uint64_t q = moved_by(q_tiles_, q_at_.stage * Shape::tile_bytes),
                        out_gradient =
                            moved_by(out_gradient_tiles_, out_gradient_at_.stage * Shape::tile_bytes);
    const unsigned row_stage = q_at_.stage, gradient_stage = out_gradient_at_.stage;
    before_q_ = q_at_.stage;
    q_at_.advance<Shape::query_stages>();
    out_gradient_at_.advance<Shape::gradient_stages>();
    wgmma_fence();
    accumulate(dv_, p_fragments_, out_gradient, accumulates);
    if (Shape::persistent && turns) await_next_keys();
    if constexpr (more) multiply_queries();
    // The unit's dS is complete in shared memory. Every thread that gets here has finished dQ of the tile
    // before, so the other buffer may be written next.
    fence_shared_for_async();
    named_barrier_wait(1 + unit_, 128 * Shape::sharing);
    wgmma_wait<more ? 1 : 0>();
    leave(shared_.out_gradient_empty[gradient_stage]);
    float dq[Shape::dq_columns / 2];
    multiply_gradients(dq);
    accumulate(dk_, ds_fragments_, q, accumulates);
    if constexpr (Way == query_gradient_way::own_sums) {
      add_to_own_sums(dq, row_stage);
    } else {
      wgmma_wait<1>();
      fence_operand(dq);
      add_query_gradients(dq, shared_.rows[row_stage]);
    }
    if (Shape::persistent && turns) {
      wgmma_wait<0>();
      turn_to_next_block();
    } else {
      if constexpr (!Shape::overlaps) wgmma_wait<0>();
      if constexpr (more) multiply_out_gradients();
    }
    buffer_ ^= 1;
  }

  /// The next scores are of the next block's keys.
  __device__ void await_next_keys() {
    const unsigned next = block_ + 1;
    hopper::wait(shared_.k_full[next % Shape::buffers], next / Shape::buffers % 2);
    k_ = in_other_buffer(k_, next);
  }
  /// After the last products with a block of keys: those of its successor go on, and while they do, its dK
  /// and dV are stored.
  __device__ void turn_to_next_block() {
    const unsigned buffer = block_ % Shape::buffers, next = block_ + 1;
    k_columns_ = in_other_buffer(k_columns_, next);
    hopper::wait(shared_.v_full[next % Shape::buffers], next / Shape::buffers % 2);
    v_rows_ = in_other_buffer(v_rows_, next);
    multiply_out_gradients();
    store_gradients();
    leave(shared_.k_empty[buffer]);
    b_ = &shared_.blocks[next % Shape::buffers];
    block_ = next;
  }
  __device__ static std::uint64_t in_other_buffer(std::uint64_t descriptor, unsigned block) {
    constexpr std::uint64_t step = own_bytes >> 4;
    return block % 2 != 0 ? descriptor + step : descriptor - step;
  }

  __device__ static void leave(hopper::barrier& empty) {
    __syncwarp();  // every lane has read the data stored next to the tile
    if (threadIdx.x % 32 == 0) hopper::arrive(empty);
  }

  /// Sᵀ of the tile at the current ring position.
  __device__ void multiply_queries() {
    hopper::wait(shared_.q_full[q_at_.stage], q_at_.parity);
    hopper::wgmma_fence();
    const std::uint64_t tile = hopper::moved_by(q_tiles_, q_at_.stage * Shape::tile_bytes);
    multiply_rows(s_, k_, tile);
  }
  /// dPᵀ in the same way.
  __device__ void multiply_out_gradients() {
    hopper::wait(shared_.out_gradient_full[out_gradient_at_.stage], out_gradient_at_.parity);
    hopper::wgmma_fence();
    const std::uint64_t tile =
        hopper::moved_by(out_gradient_tiles_, out_gradient_at_.stage * Shape::tile_bytes);
    multiply_rows(dp_, v_rows_, tile);
  }
  __device__ static void multiply_rows(float (&to)[Shape::queries / 2], std::uint64_t own_rows,
                                       std::uint64_t tile) {
    using namespace hopper;
    using product = wgmma<Shape::queries>;
#pragma unroll
    for (int k = 0; k < Shape::width / 16; ++k) {
      const std::uint64_t rows = moved_by(tile, k / 4 * tile_panel_bytes + k % 4 * 32);
      product::template shared_a<operand_major::k_major>(
          to, moved_by(own_rows, k / 4 * panel_bytes + k % 4 * 32), rows, k > 0);
    }
    wgmma_commit();
  }

  __device__ static void accumulate(float (&to)[Shape::width / 2], const unsigned (&a)[Shape::queries / 4],
                                    std::uint64_t tile, bool accumulates) {
    using namespace hopper;
    // The width is N here: leading_bytes (matrix_descriptor) steps from panel to panel.
    if constexpr (Shape::width > 64) tile += static_cast<std::uint64_t>((tile_panel_bytes - 16) >> 4) << 16;
#pragma unroll
    for (int k = 0; k < Shape::queries / 16; ++k)
      wgmma<Shape::width>::template register_a<operand_major::mn_major>(
          to, a + 4 * k, moved_by(tile, k * 16 * Shape::span_bytes), accumulates || k > 0);
    wgmma_commit();
  }

  /// This warpgroup's rows or columns of dS·K.
  __device__ void multiply_gradients(float (&dq)[Shape::dq_columns / 2]) const {
    using namespace hopper;
    const std::uint64_t rows =
        moved_by(gradient_rows_, buffer_ * Shape::sharing * Shape::gradient_panel_bytes);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < Shape::sharing * 4; ++k)
      wgmma<Shape::dq_columns>::template shared_a<operand_major::mn_major>(
          dq, moved_by(rows, k / 4 * Shape::gradient_panel_bytes + k % 4 * 32),
          moved_by(k_columns_, k / 4 * Shape::group_bytes + k % 4 * 16 * Shape::span_bytes), k > 0);
    wgmma_commit();
  }

  /// Turns scores into probabilities. The statistics of 16 queries are 16 log-sum-exps, then 16 Δ, in the
  /// order in which the four lanes of a quad need them.
  __device__ void probabilities(const float* lse_log2) {
#pragma unroll
    for (int n = 0; n < Shape::queries / 16; ++n) {
      const float4 lse = *reinterpret_cast<const float4*>(lse_log2 + 32 * n);
      const float of_column[4] = {lse.x, lse.y, lse.z, lse.w};
#pragma unroll
      for (int i = 0; i < 8; ++i)
        s_[8 * n + i] = exp2_of(fmaf(s_[8 * n + i], v_.scale_log2, -of_column[i / 4 * 2 + i % 2]));
    }
  }

  /// Turns dP into dS; packs P and dS as operands and writes dS to shared memory.
  __device__ void score_gradients(const float* deltas) {
    const unsigned to = own_gradients_ + buffer_ * Shape::sharing * Shape::gradient_panel_bytes;
#pragma unroll
    for (int n = 0; n < Shape::queries / 16; ++n) {
      const float4 delta = *reinterpret_cast<const float4*>(deltas + 32 * n);
      const float of_column[4] = {delta.x, delta.y, delta.z, delta.w};
#pragma unroll
      for (int i = 0; i < 8; i += 2) {
        const int at = 8 * n + i;
        p_fragments_[at / 2] = packed(s_[at], s_[at + 1]);
        ds_fragments_[at / 2] = packed(s_[at] * (dp_[at] - of_column[i / 4 * 2]),
                                       s_[at + 1] * (dp_[at + 1] - of_column[i / 4 * 2 + 1]));
      }
      asm volatile(
          "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to + n * 16 * 128),
          "r"(ds_fragments_[4 * n]), "r"(ds_fragments_[4 * n + 1]), "r"(ds_fragments_[4 * n + 2]),
          "r"(ds_fragments_[4 * n + 3])
          : "memory");
    }
  }

  using query_gradients = float[Shape::dq_columns / 2];

  /// Where this thread's dQ for the tile is among the block's own sums, which are of one window.
  __device__ float* own_sums() const {
    const int row_block = Shape::queries == 64 ? 0 : member_, column_block = member_ - row_block;
    return v_.q_gradient_sums +
           (static_cast<long long>(blockIdx.x) * v_.window + tile_ * Shape::queries + 64 * row_block) *
               Shape::width +
           (4 * column_block + static_cast<int>(warp())) * Shape::dq_numbers + threadIdx.x % 32 * 4;
  }

  /// Waits for this warp's part of dQ; the window's first keys store it, the next ones add to it, the last
  /// ones round the sum. The same thread does all of that, so it needs no fence, and sees what it wrote in
  /// L2.
  __device__ void add_to_own_sums(query_gradients& dq, unsigned row_stage) {
    const bool is_first = b_->first_token == 0, is_last = b_->first_token + Shape::keys >= v_.window;
    float* const own = own_sums();
    // As many at a time as there are registers for.
    constexpr int columns = Shape::dq_columns / 8, together = columns < 4 ? columns : 4;
    float4 before[together] = {};
    const auto fetch = [&](int column) {
#pragma unroll
      for (int i = 0; i < together; ++i)
        before[i] = __ldcg(reinterpret_cast<const float4*>(own + 128 * (column + i)));
    };
    if (is_last && !is_first) fetch(0);
    hopper::wgmma_wait<1>();
    hopper::fence_operand(dq);
    if (is_last) {
      __nv_bfloat16* const to = query_gradient_rows(shared_.rows[row_stage]);
#pragma unroll
      for (int column = 0; column < columns; column += together) {
        if (column > 0 && !is_first) fetch(column);
#pragma unroll
        for (int i = 0; i < together; ++i) {
          const float4 b = before[i];
          const float* const more = dq + 4 * (column + i);
          const float sums[4] = {more[0] + b.x, more[1] + b.y, more[2] + b.z, more[3] + b.w};
          store_columns(to + 8 * (column + i), sums, v_.scale);
        }
      }
    } else if (is_first) {
#pragma unroll
      for (int i = 0; i < columns; ++i)
        __stcg(reinterpret_cast<float4*>(own + 128 * i),
               float4{dq[4 * i], dq[4 * i + 1], dq[4 * i + 2], dq[4 * i + 3]});
    } else {
      reduce(own, dq);
    }
  }

  /// Where this thread's first two numbers of a tile's dQ go.
  __device__ __nv_bfloat16* query_gradient_rows(int row) const {
    const int row_block = Shape::queries == 64 ? 0 : member_, column_block = member_ - row_block;
    return own_row(v_.q_gradient, row + 64 * row_block) + column_block * Shape::dq_columns;
  }

  __device__ static void reduce(float* to, const query_gradients& dq) {
#pragma unroll
    for (int i = 0; i < Shape::dq_columns / 8; ++i)
      asm volatile(
          "red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to + 128 * i)),
          "f"(dq[4 * i]), "f"(dq[4 * i + 1]), "f"(dq[4 * i + 2]), "f"(dq[4 * i + 3])
          : "memory");
  }

  /// Adds this warp's part of dQ for the tile at `row`.
  __device__ void add_query_gradients(const query_gradients& dq, int row) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int row_block = Shape::queries == 64 ? 0 : member_, column_block = member_ - row_block;
    float* const to =
        query_gradient_numbers<Way == query_gradient_way::parts>(
            v_, b_->batch, row + 64 * row_block, b_->head, b_->first_token + unit_ * keys_of_a_part) +
        (4 * column_block + static_cast<int>(warp())) * Shape::dq_numbers;
    // Of the tile before: its additions are performed by now, so that nothing waits for them.
    if constexpr (last_rounds<Way>)
      if (tile_ > 0 || block_ > 0) say_added();
    if constexpr (!by_bulk_copies<Way>) {
      if (present()) reduce(to + 4 * lane, dq);
    } else {
      using namespace cuda::ptx;
      float* const numbers = shared_.dq[threadIdx.x / 32 - 4];
      if (!last_rounds<Way> && lane == 0) cp_async_bulk_wait_group_read(n32_t<0>());
      __syncwarp();
#pragma unroll
      for (int i = 0; i < Shape::dq_columns / 8; ++i)
        *reinterpret_cast<float4*>(numbers + 128 * i + 4 * lane) = {dq[4 * i], dq[4 * i + 1], dq[4 * i + 2],
                                                                    dq[4 * i + 3]};
      hopper::fence_shared_for_async();
      __syncwarp();
      if (lane == 0 && present()) {
        constexpr unsigned bytes = 4 * Shape::dq_numbers;
        if constexpr (Way != query_gradient_way::parts)
          cp_reduce_async_bulk(space_global, space_shared, op_add, to, numbers, bytes);
        else
          cp_async_bulk(space_global, space_shared, to, numbers, bytes);
        cp_async_bulk_commit_group();
      }
      __syncwarp();
    }
  }

  /// That this warp's part of dQ of one more tile is in the sums: its bulk copy has added it, and not only
  /// read it.
  __device__ void say_added() {
    __syncwarp();
    if (threadIdx.x % 32 != 0) return;
    if constexpr (by_bulk_copies<Way>) cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
    cuda::atomic_ref<unsigned, cuda::thread_scope_block>(shared_.added[threadIdx.x / 32 - 4])
        .fetch_add(1, cuda::memory_order_release);
  }

  /// dK and dV of the block, once their last products are complete.
  __device__ void store_gradients() {
    hopper::fence_operand(dk_);
    hopper::fence_operand(dv_);
    if (!present()) return;
    const int row = v_.row_of(b_->window, token());
    store_rows(v_.k_gradient, row, dk_, v_.scale);
    store_rows(v_.v_gradient, row, dv_, 1.0f);
  }

  template <int Count>
  __device__ void store_rows(__nv_bfloat16* tensor, int row, const float (&g)[Count], float factor) const {
    __nv_bfloat16* const to = own_row(tensor, row);
#pragma unroll
    for (int d = 0; d < Count / 4; ++d) store_columns(to + 8 * d, g + 4 * d, factor);
  }
  /// Where the first two accumulators of this thread go, of 64 rows from `row` on.
  __device__ __nv_bfloat16* own_row(__nv_bfloat16* tensor, int row) const {
    const int own = row + 16 * static_cast<int>(warp()) + static_cast<int>(threadIdx.x) % 32 / 4;
    return tensor + v_.place(b_->batch, own, b_->head) + threadIdx.x % 4 * 2;
  }
  /// Four of them: two columns of two rows.
  __device__ void store_columns(__nv_bfloat16* to, const float* g, float factor) const {
#pragma unroll
    for (int half = 0; half < 2; ++half)
      *reinterpret_cast<unsigned*>(to + 8 * half * v_.heads * Shape::width) =
          packed(g[2 * half] * factor, g[2 * half + 1] * factor);
  }

  const view& v_;
  const row_block* b_;
  key_block_memory<Shape, Way>& shared_;
  int unit_, member_, tile_ = 0;
  unsigned block_ = 0;  ///< how many blocks of keys are done
  /// Descriptors of the first stage, tile or panel.
  std::uint64_t k_, v_rows_, q_tiles_, out_gradient_tiles_, k_columns_, gradient_rows_;
  unsigned own_gradients_;  ///< shared-memory address of this lane's first row of dS
  hopper::ring_position q_at_, out_gradient_at_;
  unsigned before_q_ = 0, buffer_ = 0;
  float s_[Shape::queries / 2], dp_[Shape::queries / 2], dk_[Shape::width / 2], dv_[Shape::width / 2];
  unsigned p_fragments_[Shape::queries / 4], ds_fragments_[Shape::queries / 4];
};

#endif

template <class Shape, query_gradient_way Way, bool SumsRows>
__global__ __launch_bounds__(Shape::threads,
                             1) void differentiate_fused(const __grid_constant__ fused_maps maps, view v) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char raw[];
  const unsigned misaligned = hopper::shared_address(raw) % 1024;
  auto& shared =
      *reinterpret_cast<key_block_memory<Shape, Way>*>(raw + (misaligned == 0 ? 0 : 1024 - misaligned));
  if (threadIdx.x == 0) {
    constexpr unsigned consumer_warps = 4 * Shape::groups;
    for (int i = 0; i < Shape::buffers; ++i) {
      hopper::initialize(shared.k_full[i], 1);
      hopper::initialize(shared.k_empty[i], consumer_warps);
      hopper::initialize(shared.v_full[i], 1);
      hopper::initialize(shared.v_empty[i], consumer_warps);
    }
    for (int s = 0; s < Shape::query_stages; ++s) {
      hopper::initialize(shared.q_full[s], 1);
      hopper::initialize(shared.q_empty[s], consumer_warps);
    }
    for (int s = 0; s < Shape::gradient_stages; ++s) {
      hopper::initialize(shared.out_gradient_full[s], 1);
      hopper::initialize(shared.out_gradient_empty[s], consumer_warps);
    }
    hopper::fence_initialization();
  }
  using blocks = key_blocks<Shape, Way>;
  const row_block first = blocks::nth(v, 0);
  if constexpr (last_rounds<Way>)
    if (threadIdx.x < 4 * Shape::groups) shared.added[threadIdx.x] = 0;
  if constexpr (SumsRows) {
    if (threadIdx.x < 3) shared.summed[threadIdx.x] = 0;
    sum_rows_of_window<Shape::width, statistics_order::quads>(v, first, static_cast<int>(threadIdx.x) / 32,
                                                              Shape::threads / 32);
    publish_statistics();
  }
  __syncthreads();
  const int group = hopper::warpgroup();
  if (group == 0) {
    hopper::setmaxnreg_dec<Shape::producer_registers>();
    if (threadIdx.x == 0) {
      fused_copies<Shape, Way, SumsRows> copies(maps, v, shared);
      copies.copy(first, 0);
      if constexpr (Shape::persistent)
        for (unsigned n = 1; n < blocks::count(v); ++n) copies.copy(blocks::nth(v, n), n);
    } else if (SumsRows && threadIdx.x >= 32) {
      sum_next_windows<Shape, Way>(v, shared);
    } else if constexpr (last_rounds<Way>) {
      if (threadIdx.x >= 32) rounding_warp<Shape, Way>(v, shared.added).follow_all(first);
    }
  } else {
    hopper::setmaxnreg_inc<Shape::consumer_registers>();
    fused_keys<Shape, Way>(v, first, shared, group - 1).run(blocks::count(v));
  }
#endif
}

/// Launches the kernel, or, of sums that no block rounds, both; common sums must be zero.
template <class Shape, query_gradient_way Way, bool SumsRows = false>
void launch_fused_on_hopper(launcher& to, const problem& p) {
  constexpr bool of_parts = Way == query_gradient_way::parts,
                 of_windows = Way == query_gradient_way::own_sums;
  static_assert(!of_parts || Shape::sharing * keys_of_a_group == keys_of_a_part);
  static_assert(!of_windows || (Shape::persistent && !Shape::staggered));
  static_assert(of_windows || !SumsRows);
  constexpr std::size_t alignment = 1024;
  const window_attention::problem& a = p.attention;
  const auto boxes = [&](const std::uint16_t* base, unsigned rows) {
    return hopper::row_boxes(to, {base, a.batches, a.tokens, a.heads, a.width, a.heads * a.width}, rows);
  };
  const fused_maps maps = {boxes(a.q, Shape::queries), boxes(p.out_gradient, Shape::queries),
                           boxes(a.k, keys_of_a_group), boxes(a.v, keys_of_a_group)};
  const view v = last_rounds<Way> ? view_of_kept_sums(p) : view(p);
  const unsigned all = of_windows ? v.blocks(v.window) : v.blocks(Shape::keys),
                 most = Shape::persistent ? static_cast<unsigned>(to.device().multiprocessors) : all;
  launch(to, differentiate_fused<Shape, Way, SumsRows>, dim3(std::min(all, most)), dim3(Shape::threads),
         sizeof(key_block_memory<Shape, Way>) + alignment, maps, v);
  if constexpr (!of_windows && !last_rounds<Way>) {
    constexpr int numbers_of_a_thread = 16;
    launch(to, round_fused_gradients<Shape::width, Shape::dq_columns, of_parts>,
           dim3(blocks_for(a.elements() / numbers_of_a_thread, rounding_threads)), dim3(rounding_threads), 0,
           v);
  }
}

/// The block of a width. Narrow heads leave registers to the warps that round; at wide ones these spill, and
/// nobody waits for them.
constexpr fused_block fused_block_of(int width, bool last_rounds) {
  const bool has_room = last_rounds && width <= 32;
  return {.width = width,
          .queries = width <= 64 ? 128 : 64,
          .groups = 2,
          .sharing = 2,
          .query_stages = 3,
          .gradient_stages = 2,
          .producer_registers = has_room ? 56 : 24,
          .consumer_registers = has_room ? 224 : 240,
          .overlaps = width != 64,
          .staggered = width != 64};
}

/// Computes the gradients with the block for the problem's width.
template <query_gradient_way Way>
void differentiate_fused_on_hopper(launcher& to, const problem& p) {
  compute_row_statistics(to, p, statistics_order::quads);
  if constexpr (Way != query_gradient_way::parts && !last_rounds<Way>) clear_query_gradient_sums(to, p);
  switch (p.attention.width) {
    case 16:
      return launch_fused_on_hopper<fused_shape<fused_block_of(16, last_rounds<Way>)>, Way>(to, p);
    case 32:
      return launch_fused_on_hopper<fused_shape<fused_block_of(32, last_rounds<Way>)>, Way>(to, p);
    case 64:
      return launch_fused_on_hopper<fused_shape<fused_block_of(64, last_rounds<Way>)>, Way>(to, p);
    default:
      return launch_fused_on_hopper<fused_shape<fused_block_of(128, last_rounds<Way>)>, Way>(to, p);
  }
}

}  // namespace ablate::window_attention_backward
