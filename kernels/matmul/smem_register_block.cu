// 128×128 outputs per block, 8×8 per thread (register_block.cuh), operands through shared memory. For each
// step of k a thread reads 16 floats with four 16-byte loads and does 64 multiply-adds with them.
//
// Slabs of 16 steps are double-buffered: while one is being used, cp.async brings the next, so a slab costs
// one barrier. A is transposed on the way, float by float (lanes 8 steps × 4 rows: whole sectors of A, and 32
// different banks since a row of the slab is 132 floats); B is copied 16 bytes at a time where its rows are
// aligned. Outside the matrices cp.async writes zeros. Fragments are loaded one step ahead. Should move
// against register_block: L1 requests, down; the fp32 multiply-add pipe, up.
#include "kernels/common/switches.h"
#include "kernels/matmul/launches.h"
#include "kernels/matmul/register_block.cuh"
#include "kernels/matmul/slab_copy.cuh"

namespace ablate::matmul {

constexpr int slab = 16;

struct stage {
  float a[slab][block_tile + 4];  ///< [step][row]
  float b[slab][block_tile];      ///< [step][column]
};

/// Copies steps from `first` on of the block's rows of A.
__device__ inline void copy_a(stage& to, const view& v, int first_row_of_tile, int first) {
  constexpr int lanes_of_steps = 8, rows_at_once = block_threads / lanes_of_steps;
  const int step = static_cast<int>(threadIdx.x) % lanes_of_steps;
  const int row = static_cast<int>(threadIdx.x) / lanes_of_steps;
  const float* const from = v.a + static_cast<long long>(first_row_of_tile + row) * v.k + first + step;
#pragma unroll
  for (int i = 0; i < block_tile / rows_at_once; ++i)
#pragma unroll
    for (int l = 0; l < slab; l += lanes_of_steps) {
      const bool is_there = first_row_of_tile + row + i * rows_at_once < v.m && first + step + l < v.k;
      copy_or_zero<4>(&to.a[step + l][row + i * rows_at_once],
                      from + static_cast<long long>(i) * rows_at_once * v.k + l, is_there);
    }
}

/// The same for its columns of B, `Floats` (4 or 1) per copy.
template <int Floats>
__device__ void copy_b(stage& to, const view& v, int first_column_of_tile, int first) {
  constexpr int copies_of_step = block_tile / Floats, steps_at_once = block_threads / copies_of_step;
  const int column = static_cast<int>(threadIdx.x) % copies_of_step * Floats;
  const int step = static_cast<int>(threadIdx.x) / copies_of_step;
  const float* const from = v.b + static_cast<long long>(first + step) * v.n + first_column_of_tile + column;
  const bool in_row = first_column_of_tile + column < v.n;
#pragma unroll
  for (int l = 0; l < slab; l += steps_at_once)
    copy_or_zero<4 * Floats>(&to.b[step + l][column], from + static_cast<long long>(l) * v.n,
                             in_row && first + step + l < v.k);
}

__device__ inline void load_fragment(fragment& f, const stage& from, int step, int row, int column) {
#pragma unroll
  for (int i = 0; i < thread_outputs; i += square) {
    load4(f.a + i, &from.a[step][row + row_step(i)]);
    load4(f.b + i, &from.b[step][column + column_step(i)]);
  }
}

/// Vectors, of B and C, where n is a multiple of 4. Two blocks a multiprocessor: 128 registers a thread.
template <row_access Access>
__global__ __launch_bounds__(block_threads, 2) void multiply_tiles_in_shared_memory(view v) {
  __shared__ __align__(16) stage stages[2];
  const int tile_row = static_cast<int>(blockIdx.y) * block_tile;
  const int tile_column = static_cast<int>(blockIdx.x) * block_tile;
  const int row = first_row(), column = first_column();
  const auto copy = [&](int number) {
    stage& to = stages[number % 2];
    copy_a(to, v, tile_row, number * slab);
    copy_b<Access == row_access::vectors ? 4 : 1>(to, v, tile_column, number * slab);
    mma::copy_commit();
  };

  accumulators of_thread;
  const int slabs = (v.k + slab - 1) / slab;
  copy(0);
  for (int number = 0; number < slabs; ++number) {
    mma::copy_wait<0>();
    __syncthreads();  // the slab is visible to all threads, and all are done with the other stage
    if (number + 1 < slabs) copy(number + 1);
    const stage& here = stages[number % 2];
    fragment fragments[2];
    load_fragment(fragments[0], here, 0, row, column);
#pragma unroll
    for (int step = 0; step < slab; ++step) {
      if (step + 1 < slab) load_fragment(fragments[(step + 1) % 2], here, step + 1, row, column);
      of_thread.multiply_add(fragments[step % 2].a, fragments[step % 2].b);
    }
  }
  of_thread.store<Access>(v, tile_row + row, tile_column + column);
}

void smem_register_block(launcher& to, const problem& p, const switches&) {
  launch(to,
         p.n % 4 == 0 ? multiply_tiles_in_shared_memory<row_access::vectors>
                      : multiply_tiles_in_shared_memory<row_access::floats>,
         tiles_of(p), dim3(block_threads), 0, view(p));
}

}  // namespace ablate::matmul
