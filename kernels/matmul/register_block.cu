// Like smem_register_block, 128×128 outputs per block, 8×8 per thread, but without shared memory: each thread
// loads its fragments itself, and L1 serves what neighbors load too. A is loaded four steps of k at a time
// and B four columns at a time, 16 bytes per load, where rows are aligned; else float by float. Rows and
// columns outside the matrices are read at the last position inside and never stored. With `warp` = rows
// lanes run down the rows (lanes_along_rows): a load of A is of 16 rows instead of 4, a store of 16 too.
// Should move against smem_register_block: L1 requests and sectors, up; stalls on loads, up.
#include "kernels/common/switches.h"
#include "kernels/matmul/launches.h"
#include "kernels/matmul/register_block.cuh"

namespace ablate::matmul {

/// Vectors where n and k are multiples of 4. Columns of a square are then all inside or all outside.
template <row_access Access, class Lanes>
__device__ __forceinline__ void multiply_tile_from_global_memory(const view& v) {
  constexpr bool in_vectors = Access == row_access::vectors;
  constexpr int steps = in_vectors ? 4 : 1;
  const int row = static_cast<int>(blockIdx.y) * block_tile + Lanes::first_row();
  const int column = static_cast<int>(blockIdx.x) * block_tile + Lanes::first_column();
  const float* rows_of_a[thread_outputs];
#pragma unroll
  for (int i = 0; i < thread_outputs; ++i)
    rows_of_a[i] = v.a + static_cast<long long>(min(row + Lanes::row_step(i), v.m - 1)) * v.k;
  int columns[thread_outputs];
#pragma unroll
  for (int j = 0; j < thread_outputs; ++j)
    columns[j] = min(column + Lanes::column_step(j), v.n - (in_vectors ? square - j % square : 1));

  accumulators of_thread;
  for (int first = 0; first < v.k; first += steps) {
    float a[thread_outputs][steps];
#pragma unroll
    for (int i = 0; i < thread_outputs; ++i) {
      if constexpr (in_vectors)
        load4(a[i], rows_of_a[i] + first);
      else
        a[i][0] = rows_of_a[i][first];
    }
#pragma unroll
    for (int l = 0; l < steps; ++l) {
      const float* const row_of_b = v.b + static_cast<long long>(first + l) * v.n;
      fragment f;
#pragma unroll
      for (int i = 0; i < thread_outputs; ++i) f.a[i] = a[i][l];
#pragma unroll
      for (int j = 0; j < thread_outputs; ++j) {
        if constexpr (!in_vectors)
          f.b[j] = row_of_b[columns[j]];
        else if (j % square == 0)
          load4(f.b + j, row_of_b + columns[j]);
      }
      of_thread.multiply_add(f.a, f.b);
    }
  }
  of_thread.store<Access, Lanes>(v, row, column);
}

template <row_access Access>
__global__ __launch_bounds__(block_threads) void multiply_tiles_from_global_memory(view v) {
  multiply_tile_from_global_memory<Access, lanes_in_zigzag>(v);
}

template <row_access Access>
__global__ __launch_bounds__(block_threads) void multiply_tiles_from_global_memory_by_row(view v) {
  multiply_tile_from_global_memory<Access, lanes_along_rows>(v);
}

void register_block(launcher& to, const problem& p, const switches& s) {
  const bool in_vectors = p.n % 4 == 0 && p.k % 4 == 0;
  const auto run = [&](auto of_vectors, auto of_floats) {
    launch(to, in_vectors ? of_vectors : of_floats, tiles_of(p), dim3(block_threads), 0, view(p));
  };
  if (s.word("warp") == "rows")
    run(multiply_tiles_from_global_memory_by_row<row_access::vectors>,
        multiply_tiles_from_global_memory_by_row<row_access::floats>);
  else
    run(multiply_tiles_from_global_memory<row_access::vectors>,
        multiply_tiles_from_global_memory<row_access::floats>);
}

}  // namespace ablate::matmul
