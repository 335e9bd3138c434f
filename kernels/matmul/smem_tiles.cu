// One output per thread, operands through 32×32 tiles in shared memory: the textbook form. A block of 1024
// threads copies one tile of A and one of B, an element a thread, and each element is then read 32 times from
// shared memory. Rows of a tile are 32 banks wide: A is broadcast, B without conflicts. Outside of the
// matrices tiles are zero. With warps along rows, loads are uncoalesced here too, and rows of a tile are 33
// floats long, so columns are read without conflicts: the gain of tiles is then only reuse. Should move
// against naive: global load sectors, down 32-fold; instead two shared loads per multiply-add, which now
// limit the rate.
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/matmul/launches.h"
#include "kernels/matmul/view.cuh"

namespace ablate::matmul {

constexpr int small_tile = 32;

/// The output of this thread, which is at (x, y) of the block's tile. `Pitch`: of a row of a tile in shared
/// memory.
template <int Pitch>
__device__ __forceinline__ void multiply_by_tiles(const view& v, int x, int y) {
  __shared__ float a[small_tile][Pitch], b[small_tile][Pitch];
  const int row = static_cast<int>(blockIdx.y) * small_tile + y;
  const int column = static_cast<int>(blockIdx.x) * small_tile + x;
  float sum = 0;
  for (int first = 0; first < v.k; first += small_tile) {
    const bool has_a = row < v.m && first + x < v.k, has_b = column < v.n && first + y < v.k;
    a[y][x] = has_a ? v.a[static_cast<long long>(row) * v.k + first + x] : 0.0f;
    b[y][x] = has_b ? v.b[static_cast<long long>(first + y) * v.n + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int l = 0; l < small_tile; ++l) sum += a[y][l] * b[l][x];
    __syncthreads();
  }
  if (row < v.m && column < v.n) v.c[static_cast<long long>(row) * v.n + column] = sum;
}

__global__ __launch_bounds__(small_tile* small_tile) void multiply_small_tiles(view v) {
  multiply_by_tiles<small_tile>(v, static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y));
}

/// With warps along rows: unpadded, a column of a tile would be read from one bank.
__global__ __launch_bounds__(small_tile* small_tile) void multiply_small_tiles_by_row(view v) {
  multiply_by_tiles<small_tile + 1>(v, static_cast<int>(threadIdx.y), static_cast<int>(threadIdx.x));
}

void smem_tiles(launcher& to, const problem& p, const switches& s) {
  launch(to, s.word("warp") == "rows" ? multiply_small_tiles_by_row : multiply_small_tiles,
         dim3(blocks_for(p.n, small_tile), blocks_for(p.m, small_tile)), dim3(small_tile, small_tile), 0,
         view(p));
}

}  // namespace ablate::matmul
