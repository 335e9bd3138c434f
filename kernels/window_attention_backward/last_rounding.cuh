// dQ rounded inside the kernel that sums it (hopper_fused.cuh), by the block of keys that adds last to a tile
// of queries, while the sums are in L2: no clearing kernel before, no rounding kernel after. The multiplying
// warpgroups do not wait for it. Each of their warps publishes in shared memory how many tiles it has added
// to, one tile late, when its reductions are performed or its bulk copy is complete. The producer warpgroup's
// three idle warps follow tile by tile: once all have added, each counts the block's arrival for its third of
// the tile (arrivals.cuh), and the warp that completes the count rounds that third and zeroes it for the next
// launch. They may lag: dQ is not needed before the end.
#pragma once

#include <cuda/atomic>

#include "kernels/common/softmax_math.cuh"
#include "kernels/window_attention_backward/arrivals.cuh"
#include "kernels/window_attention_backward/key_blocks.cuh"
#include "kernels/window_attention_backward/query_gradient_numbers.cuh"

namespace ablate::window_attention_backward {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

constexpr int rounding_warps = 3;

/// One of the warps beside the producer's, with a third of each tile; in few registers, so with short
/// indices.
template <class Shape, query_gradient_way Way>
class rounding_warp {
 public:
  static constexpr int adding_warps = 4 * Shape::groups;

  /// `added`: by each warp that adds, to how many tiles.
  __device__ rounding_warp(const view& v, unsigned (&added)[adding_warps])
      : v_(v), watched_(added[threadIdx.x % adding_warps]) {}

  /// Follows the block through all its blocks of keys, from `b` on.
  __device__ void follow_all(row_block b) {
    using blocks = key_blocks<Shape, Way>;
#pragma unroll 1
    for (unsigned n = 1;; ++n) {
      follow(b);
      if (n == blocks::count(v_)) return;
      b = blocks::nth(v_, n);
    }
  }

 private:
  /// Follows it through one.
  __device__ void follow(const row_block& b) {
    const unsigned first_place =
        (static_cast<unsigned>(b.batch) * v_.heads + b.head) * static_cast<unsigned>(v_.tokens);
    int token = Shape::staggered ? b.first_token / Shape::queries * Shape::queries : 0;
#pragma unroll 1
    for (int left = v_.window / Shape::queries; left > 0; --left) {
      await_added();
      const int row = v_.row_of(b.window, token);
      token = token + Shape::queries < v_.window ? token + Shape::queries : 0;
      if (arrives_last(v_, first_place + row, part(), key_blocks<Shape, Way>::of_window(v_)))
        round(first_place + row, v_.q_gradient + v_.place(b.batch, row, b.head));
    }
  }

  __device__ static int part() { return static_cast<int>(threadIdx.x) / 32 - 1; }

  /// The next tile's sums have what all of the block's warps add.
  __device__ void await_added() {
    ++tiles_;
    while (cuda::atomic_ref<unsigned, cuda::thread_scope_block>(watched_).load(cuda::memory_order_acquire) <
           tiles_)
      __nanosleep(200);
  }

  /// Two lanes' numbers at a time, four columns of two rows (query_gradient_numbers.cuh). `place`: of the
  /// tile's first row; `rows`: its dQ.
  __device__ void round(unsigned place, __nv_bfloat16* rows) const {
    constexpr int chunks = Shape::dq_columns / 8, column_blocks = Shape::width / Shape::dq_columns,
                  pieces = Shape::queries * Shape::width / 8;
    float4* const sums =
        reinterpret_cast<float4*>(v_.q_gradient_sums) + static_cast<std::size_t>(place) * (Shape::width / 4);
    const int row_stride = v_.heads * Shape::width;
#pragma unroll(Shape::producer_registers > 40 ? 2 : 1)
    for (int i = part() * 32 + static_cast<int>(threadIdx.x) % 32; i < pieces; i += 32 * rounding_warps) {
      const float4 low = __ldcg(sums + 2 * i), high = __ldcg(sums + 2 * i + 1);
      // Outermost first: 64 rows, columns that a warp has, its 16 rows, 8 columns, a row with the one 8
      // below, 4 columns.
      const int column =
                    i % 2 * 4 + i / 16 % chunks * 8 + i / (64 * chunks) % column_blocks * Shape::dq_columns,
                row = i % 16 / 2 + i / (16 * chunks) % 4 * 16 + i / (64 * chunks * column_blocks) * 64;
      __nv_bfloat16* const to = rows + row * row_stride + column;
      *reinterpret_cast<uint2*>(to) = {packed(low.x * v_.scale, low.y * v_.scale),
                                       packed(high.x * v_.scale, high.y * v_.scale)};
      *reinterpret_cast<uint2*>(to + 8 * row_stride) = {packed(low.z * v_.scale, low.w * v_.scale),
                                                        packed(high.z * v_.scale, high.w * v_.scale)};
      __stcg(sums + 2 * i, float4{});
      __stcg(sums + 2 * i + 1, float4{});
    }
  }

  const view& v_;
  unsigned& watched_;
  unsigned tiles_ = 0;  ///< passed
};

#endif

}  // namespace ablate::window_attention_backward
