#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/matmul/view.cuh"

namespace ablate::matmul {

/// The outputs of smem_register_block and register_block: 128×128 of a block of 256 threads, 32×64 of a warp,
/// 8×8 of a thread. Those are four squares of 4×4, 16 rows and 32 columns apart, so that a fragment is two
/// loads of 16 bytes of each operand. Lanes go in a zigzag, 4 down and 8 across: neighbors (lane ^ 1) share
/// columns, lanes lane ^ 2 share rows, and so each half of a warp's 16-byte shared loads is one pass.
constexpr int block_tile = 128, block_threads = 256;
constexpr int warp_tile_rows = 32, warp_tile_columns = 64;
constexpr int square = 4, squares_down = 16, squares_across = 32;
constexpr int thread_outputs = 8;  // along each side

/// The first row and column of a thread's outputs in its block's tile.
__device__ inline int first_row() {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  return warp / 2 * warp_tile_rows + (lane / 16 * 2 + lane % 2) * square;
}
__device__ inline int first_column() {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  return warp % 2 * warp_tile_columns + lane / 2 % 8 * square;
}
/// Rows and columns from there to output i, 0 … 7.
__device__ constexpr int row_step(int i) { return i / square * squares_down + i % square; }
__device__ constexpr int column_step(int j) { return j / square * squares_across + j % square; }

/// Where a thread's outputs are in its block's tile, as above.
struct lanes_in_zigzag {
  __device__ static int first_row() { return matmul::first_row(); }
  __device__ static int first_column() { return matmul::first_column(); }
  __device__ static constexpr int row_step(int i) { return matmul::row_step(i); }
  __device__ static constexpr int column_step(int j) { return matmul::column_step(j); }
};

/// Or with lanes along rows: 16 threads down the tile and 16 across, so that a warp is 16 squares down and 2
/// across, and each thread's four squares are half a tile apart.
struct lanes_along_rows {
  static constexpr int threads_down = 16, squares_apart = block_tile / 2;
  static_assert(threads_down * square == squares_apart);
  static_assert(block_threads / threads_down * square == squares_apart);

  __device__ static int first_row() { return static_cast<int>(threadIdx.x) % threads_down * square; }
  __device__ static int first_column() { return static_cast<int>(threadIdx.x) / threads_down * square; }
  __device__ static constexpr int row_step(int i) { return i / square * squares_apart + i % square; }
  __device__ static constexpr int column_step(int j) { return row_step(j); }
};

/// One column of A and one row of B, of a thread.
struct fragment {
  float a[thread_outputs], b[thread_outputs];
};

/// How rows in device memory are read or written: float by float, or, where they begin at multiples of 16
/// bytes, four floats at a time.
enum class row_access { floats, vectors };

struct accumulators {
  float sum[thread_outputs][thread_outputs] = {};

  __device__ void multiply_add(const float (&a)[thread_outputs], const float (&b)[thread_outputs]) {
#pragma unroll
    for (int i = 0; i < thread_outputs; ++i)
#pragma unroll
      for (int j = 0; j < thread_outputs; ++j) sum[i][j] += a[i] * b[j];
  }

  /// Outputs from (row, column) on.
  template <row_access Access, class Lanes = lanes_in_zigzag>
  __device__ void store(const view& v, int row, int column) const {
#pragma unroll
    for (int i = 0; i < thread_outputs; ++i) {
      if (row + Lanes::row_step(i) >= v.m) continue;
      float* const to = v.c + static_cast<long long>(row + Lanes::row_step(i)) * v.n;
#pragma unroll
      for (int j = 0; j < thread_outputs; j += square) {
        const int at = column + Lanes::column_step(j);
        if constexpr (Access == row_access::vectors) {
          if (at < v.n)
            *reinterpret_cast<float4*>(to + at) =
                make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
        } else {
#pragma unroll
          for (int e = 0; e < square; ++e)
            if (at + e < v.n) to[at + e] = sum[i][j + e];
        }
      }
    }
  }
};

__device__ inline void load4(float* to, const float* from) {
  const float4 four = *reinterpret_cast<const float4*>(from);
  to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
}

/// One block a tile of C.
inline dim3 tiles_of(const problem& p) {
  return dim3(blocks_for(p.n, block_tile), blocks_for(p.m, block_tile));
}

}  // namespace ablate::matmul
