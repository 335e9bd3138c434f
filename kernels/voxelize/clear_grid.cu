// Clears the grid: 4·batch·cells bytes of stores, 64 bytes a thread in four rounds of the block, so that the
// hand-out of blocks does not bound it. A kernel and not a memset, because profilers see kernels: what is
// cleared inside of the timed region must be counted there too.
#include <algorithm>

#include "kernels/common/dependent_launch.cuh"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

constexpr int vectors_per_thread = 4;

__global__ __launch_bounds__(block_threads) void clear(int4* grid, long long vectors, int* tail,
                                                       int tail_words) {
  let_next_kernel_begin();
  const long long first = static_cast<long long>(blockIdx.x) * vectors_per_thread * block_threads;
#pragma unroll
  for (int k = 0; k < vectors_per_thread; ++k)
    if (const long long i = first + k * block_threads + threadIdx.x; i < vectors)
      grid[i] = make_int4(0, 0, 0, 0);
  if (blockIdx.x == 0 && threadIdx.x < tail_words) tail[threadIdx.x] = 0;
}

/// Launched before every variant; does something only where clearing belongs to the region, and the variant
/// does not write every counter itself.
void clear_grid(launcher& to, const problem& p, const switches& s) {
  if (!p.clears_grid || s.has("clears")) return;
  const long long words = p.all_cells();
  const long long vectors = words / 4;
  const int tail_words = static_cast<int>(words - 4 * vectors);
  launch(to, clear, dim3(blocks_for(std::max(vectors, 1ll), vectors_per_thread * block_threads)),
         dim3(block_threads), 0, static_cast<int4*>(p.grid), vectors, static_cast<int*>(p.grid) + 4 * vectors,
         tail_words);
}

}  // namespace ablate::voxelize
