// All gradients in one kernel of warpgroup MMAs. Each warpgroup keeps 64 keys, with their dK and dV in
// registers; tiles of queries stream past:
//   Sᵀ = K·Qᵀ, dPᵀ = V·dOᵀ (keys × queries, both operands in shared memory); P and dS stay in registers as
//   the register operands of dV += Pᵀ·dO and dK += dSᵀ·Q; dS is also written, transposed, to shared memory,
//   where the keys of the warpgroups that share it meet: dQ = dS·K, each warpgroup computing some of its rows
//   or columns.
// Five products instead of the two passes' seven, and one exponential per score instead of two. A block has
// only a partial dQ, which it writes to fp32 buffers in device memory: by a reducing bulk copy, by vector
// reductions, or by a bulk copy into a buffer of its own. There the numbers keep the accumulators' order,
// each warp's contiguous, until round_fused_gradients reorders them (query_gradient_numbers.cuh).
// One thread issues the TMA copies: K and V once, then Q with its rows' statistics and dO, each through its
// own ring. The scores of the next tile are issued before dQ of this one, its dP before dK is complete.
// Should move, against two passes: the tensor pipe's instructions, down to 5/7, exponentials to 1/2; shared
// memory's bandwidth is what still limits.
#pragma once

#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/common/hopper/row_boxes.cuh"
#include "kernels/common/hopper/wgmma.cuh"
#include "kernels/common/softmax_math.cuh"
#include "kernels/window_attention_backward/fused_shape.cuh"
#include "kernels/window_attention_backward/query_gradient_numbers.cuh"
#include "kernels/window_attention_backward/view.cuh"

namespace ablate::window_attention_backward {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// The producer thread.
template <class Shape, query_gradient_way Way>
__device__ void copy_fused(const fused_maps& maps, const view& v, const row_block& b,
                           key_block_memory<Shape, Way>& shared) {
  using namespace hopper;
  constexpr int width = Shape::width;
  arrive_expecting(shared.own_full, 2 * Shape::groups * Shape::group_bytes);
  for (int g = 0; g < Shape::groups; ++g) {
    // A group past the window's end re-reads its last keys and stores nothing.
    const int row = v.row_of(b.window, min(b.first_token + g * keys_of_a_group, v.window - keys_of_a_group));
    copy_box_in<width>(shared.k[g], maps.k, row, b.head, b.batch, shared.own_full);
    copy_box_in<width>(shared.v[g], maps.v, row, b.head, b.batch, shared.own_full);
  }
  constexpr unsigned statistics_bytes = sizeof shared.statistics[0];
  ring_position q, out_gradient;
  int token = Shape::staggered ? b.first_token / Shape::queries * Shape::queries : 0;
  for (int n = 0; n < v.window / Shape::queries; ++n) {
    const int row = v.row_of(b.window, token);
    token = token + Shape::queries < v.window ? token + Shape::queries : 0;
    wait(shared.q_empty[q.stage], q.parity ^ 1);
    shared.rows[q.stage] = row;
    barrier& q_full = shared.q_full[q.stage];
    arrive_expecting(q_full, Shape::tile_bytes + statistics_bytes);
    copy_box_in<width>(shared.q[q.stage], maps.q, row, b.head, b.batch, q_full);
    cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, shared.statistics[q.stage],
                             v.statistics + v.place_of_row(b.batch, row, b.head), statistics_bytes, &q_full);
    wait(shared.out_gradient_empty[out_gradient.stage], out_gradient.parity ^ 1);
    barrier& full = shared.out_gradient_full[out_gradient.stage];
    arrive_expecting(full, Shape::tile_bytes);
    copy_box_in<width>(shared.out_gradient[out_gradient.stage], maps.out_gradient, row, b.head, b.batch,
                       full);
    q.advance<Shape::query_stages>();
    out_gradient.advance<Shape::gradient_stages>();
  }
}

/// A warpgroup with its 64 keys.
template <class Shape, query_gradient_way Way>
class fused_keys {
 public:
  __device__ fused_keys(const view& v, const row_block& b, key_block_memory<Shape, Way>& shared, int group)
      : v_(v),
        b_(b),
        shared_(shared),
        unit_(group / Shape::sharing),
        member_(group % Shape::sharing),
        token_(b.first_token + group * keys_of_a_group),
        k_(descriptor(shared.k[group])),
        v_rows_(descriptor(shared.v[group])),
        q_tiles_(descriptor(shared.q[0])),
        out_gradient_tiles_(descriptor(shared.out_gradient[0])) {
    const unsigned lane = threadIdx.x % 32, chunk = 2 * warp() + lane / 8 % 2;
    own_gradients_ = hopper::shared_address(shared.ds[unit_][0][member_]) + (lane / 16 * 8 + lane % 8) * 128 +
                     (chunk ^ lane % 8) * 16;
    const unsigned column_bytes =
        Shape::queries == 64 ? member_ * (Shape::width == 128 ? panel_bytes : 2 * Shape::dq_columns) : 0;
    k_columns_ = hopper::moved_by(descriptor(shared.k[unit_ * Shape::sharing]), column_bytes);
    gradient_rows_ = hopper::matrix_descriptor<typename Shape::gradient_swizzle>(
        hopper::shared_address(shared.ds[unit_][0]) + (Shape::queries == 64 ? 0 : member_ * 64 * 128));
  }

  __device__ void run() {
    using namespace hopper;
    wait(shared_.own_full, 0);
    multiply_queries();
    multiply_out_gradients();
    int token = 0;
#pragma unroll 1
    for (; token < v_.window - Shape::queries; token += Shape::queries) pass_tile<true>(token > 0);
    pass_tile<false>(token > 0);
    wgmma_wait<0>();
    keep_behind(dk_);
    keep_behind(dv_);
    if (present()) {
      store(v_.k_gradient, dk_, v_.scale);
      store(v_.v_gradient, dv_, 1.0f);
    }
    if constexpr (Way != query_gradient_way::reductions)
      if (threadIdx.x % 32 == 0) cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
  }

 private:
  static constexpr unsigned panel_bytes = keys_of_a_group * 128,  ///< of a warpgroup's keys, width 128
      tile_panel_bytes = Shape::queries * 128;

  __device__ static unsigned warp() { return threadIdx.x / 32 % 4; }
  __device__ bool present() const { return token_ < v_.window; }
  __device__ static std::uint64_t descriptor(const void* tile) {
    return hopper::matrix_descriptor<typename Shape::swizzle>(hopper::shared_address(tile));
  }

  /// Processes one tile of queries whose scores and dP are already in flight; `More`: issues those of the
  /// next tile.
  template <bool More>
  __device__ void pass_tile(bool accumulates) {
    using namespace hopper;
    // Everything except dP is complete: the scores, and dK of the tile before.
    wgmma_wait<1>();
    keep_behind(s_);
    if (accumulates) {
      leave(shared_.q_empty[before_q_]);
    }
    const float* const statistics = shared_.statistics[q_at_.stage] + threadIdx.x % 4 * 4;
    probabilities(statistics);
    wgmma_wait<0>();
    keep_behind(dp_);
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
    if constexpr (More) multiply_queries();
    // The unit's dS is complete in shared memory. Every thread that gets here has finished dQ of the tile
    // before, so the other buffer may be written next.
    fence_shared_for_async();
    named_barrier_wait(1 + unit_, 128 * Shape::sharing);
    wgmma_wait<More ? 1 : 0>();
    leave(shared_.out_gradient_empty[gradient_stage]);
    float dq[Shape::dq_columns / 2];
    multiply_gradients(dq);
    accumulate(dk_, ds_fragments_, q, accumulates);
    wgmma_wait<1>();
    keep_behind(dq);
    add_query_gradients(dq, shared_.rows[row_stage]);
    if constexpr (!Shape::overlaps) wgmma_wait<0>();
    if constexpr (More) multiply_out_gradients();
    buffer_ ^= 1;
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
  /// dPᵀ likewise.
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

  /// Adds this warp's part of dQ for the tile at `row`.
  __device__ void add_query_gradients(const float (&dq)[Shape::dq_columns / 2], int row) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int row_block = Shape::queries == 64 ? 0 : member_, column_block = member_ - row_block;
    float* const to =
        query_gradient_numbers<Way == query_gradient_way::parts>(v_, b_.batch, row + 64 * row_block, b_.head,
                                                                 b_.first_token + unit_ * keys_of_a_part) +
        (4 * column_block + static_cast<int>(warp())) * Shape::dq_numbers;
    if constexpr (Way == query_gradient_way::reductions) {
      if (!present()) return;
      float* const own = to + 4 * lane;
#pragma unroll
      for (int i = 0; i < Shape::dq_columns / 8; ++i)
        asm volatile(
            "red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(own + 128 * i)),
            "f"(dq[4 * i]), "f"(dq[4 * i + 1]), "f"(dq[4 * i + 2]), "f"(dq[4 * i + 3])
            : "memory");
    } else {
      using namespace cuda::ptx;
      float* const numbers = shared_.dq[threadIdx.x / 32 - 4];
      if (lane == 0) cp_async_bulk_wait_group_read(n32_t<0>());
      __syncwarp();
#pragma unroll
      for (int i = 0; i < Shape::dq_columns / 8; ++i)
        *reinterpret_cast<float4*>(numbers + 128 * i + 4 * lane) = {dq[4 * i], dq[4 * i + 1], dq[4 * i + 2],
                                                                    dq[4 * i + 3]};
      hopper::fence_shared_for_async();
      __syncwarp();
      if (lane == 0 && present()) {
        constexpr unsigned bytes = 4 * Shape::dq_numbers;
        if constexpr (Way == query_gradient_way::bulk)
          cp_reduce_async_bulk(space_global, space_shared, op_add, to, numbers, bytes);
        else
          cp_async_bulk(space_global, space_shared, to, numbers, bytes);
        cp_async_bulk_commit_group();
      }
      __syncwarp();
    }
  }

  __device__ void store(__nv_bfloat16* to, const float (&g)[Shape::width / 2], float factor) const {
    const int row =
        v_.row_of(b_.window, token_) + 16 * static_cast<int>(warp()) + static_cast<int>(threadIdx.x) % 32 / 4;
    __nv_bfloat16* const at = to + v_.place(b_.batch, row, b_.head) + threadIdx.x % 4 * 2;
#pragma unroll
    for (int d = 0; d < Shape::width / 8; ++d)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        *reinterpret_cast<unsigned*>(at + 8 * half * v_.heads * Shape::width + 8 * d) =
            packed(g[4 * d + 2 * half] * factor, g[4 * d + 2 * half + 1] * factor);
  }

  const view& v_;
  const row_block& b_;
  key_block_memory<Shape, Way>& shared_;
  int unit_, member_, token_;
  /// Descriptors of the first stage, tile or panel.
  std::uint64_t k_, v_rows_, q_tiles_, out_gradient_tiles_, k_columns_, gradient_rows_;
  unsigned own_gradients_;  ///< shared-memory address of this lane's first row of dS
  hopper::ring_position q_at_, out_gradient_at_;
  unsigned before_q_ = 0, buffer_ = 0;
  float s_[Shape::queries / 2], dp_[Shape::queries / 2], dk_[Shape::width / 2], dv_[Shape::width / 2];
  unsigned p_fragments_[Shape::queries / 4], ds_fragments_[Shape::queries / 4];
};

#endif

template <class Shape, query_gradient_way Way>
__global__ __launch_bounds__(Shape::threads,
                             1) void differentiate_fused(const __grid_constant__ fused_maps maps, view v) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char raw[];
  const unsigned misaligned = hopper::shared_address(raw) % 1024;
  auto& shared =
      *reinterpret_cast<key_block_memory<Shape, Way>*>(raw + (misaligned == 0 ? 0 : 1024 - misaligned));
  if (threadIdx.x == 0) {
    hopper::initialize(shared.own_full, 1);
    for (int s = 0; s < Shape::query_stages; ++s) {
      hopper::initialize(shared.q_full[s], 1);
      hopper::initialize(shared.q_empty[s], 4 * Shape::groups);
    }
    for (int s = 0; s < Shape::gradient_stages; ++s) {
      hopper::initialize(shared.out_gradient_full[s], 1);
      hopper::initialize(shared.out_gradient_empty[s], 4 * Shape::groups);
    }
    hopper::fence_initialization();
  }
  __syncthreads();
  const row_block b = v.block_of(blockIdx.x, Shape::keys);
  const int group = hopper::warpgroup();
  if (group == 0) {
    hopper::give_registers<Shape::producer_registers>();
    if (threadIdx.x == 0) copy_fused<Shape, Way>(maps, v, b, shared);
  } else {
    hopper::take_registers<Shape::consumer_registers>();
    fused_keys<Shape, Way>(v, b, shared, group - 1).run();
  }
#endif
}

/// Launches both kernels; the sums must be zero.
template <class Shape, query_gradient_way Way>
void launch_fused_on_hopper(launcher& to, const problem& p) {
  constexpr bool of_parts = Way == query_gradient_way::parts;
  static_assert(!of_parts || Shape::sharing * keys_of_a_group == keys_of_a_part);
  constexpr std::size_t alignment = 1024;
  const window_attention::problem& a = p.attention;
  const auto boxes = [&](const std::uint16_t* base, unsigned rows) {
    return hopper::row_boxes(to, {base, a.batches, a.tokens, a.heads, a.width, a.heads * a.width}, rows);
  };
  const fused_maps maps = {boxes(a.q, Shape::queries), boxes(p.out_gradient, Shape::queries),
                           boxes(a.k, keys_of_a_group), boxes(a.v, keys_of_a_group)};
  const view v(p);
  launch(to, differentiate_fused<Shape, Way>, dim3(v.blocks(Shape::keys)), dim3(Shape::threads),
         sizeof(key_block_memory<Shape, Way>) + alignment, maps, v);
  constexpr int numbers_of_a_thread = 16;
  launch(to, round_fused_gradients<Shape::width, Shape::dq_columns, of_parts>,
         dim3(blocks_for(a.elements() / numbers_of_a_thread, rounding_threads)), dim3(rounding_threads), 0,
         v);
}

/// Computes the gradients with the block shape for the problem's width.
template <query_gradient_way Way>
void differentiate_fused_on_hopper(launcher& to, const problem& p) {
  compute_row_statistics(to, p, statistics_order::quads);
  if constexpr (Way != query_gradient_way::parts) clear_query_gradient_sums(to, p);
  switch (p.attention.width) {
    case 16:
      return launch_fused_on_hopper<fused_shape<16, 128, 2, 2, 3, 2, 24, 240, true, true>, Way>(to, p);
    case 32:
      return launch_fused_on_hopper<fused_shape<32, 128, 2, 2, 3, 2, 24, 240, true, true>, Way>(to, p);
    case 64:
      return launch_fused_on_hopper<fused_shape<64, 128, 2, 2, 3, 2, 24, 240, false, false>, Way>(to, p);
    default:
      return launch_fused_on_hopper<fused_shape<128, 64, 2, 2, 3, 2, 24, 240, true, true>, Way>(to, p);
  }
}

}  // namespace ablate::window_attention_backward
