// Clears the grid: 4·batch·cells bytes of stores, 16 bytes a thread. A kernel and not a memset, because
// profilers see kernels: what is cleared inside of the timed region must be counted there too.
#include "kernels/common/dependent_launch.cuh"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

__global__ __launch_bounds__(block_threads) void clear(int4* grid, long long vectors, int* tail,
                                                       int tail_words) {
  let_next_kernel_begin();
  const long long i = static_cast<long long>(blockIdx.x) * block_threads + threadIdx.x;
  if (i < vectors) grid[i] = make_int4(0, 0, 0, 0);
  if (i < tail_words) tail[i] = 0;
}

/// Launched before every variant; does something only where clearing belongs to the region, and the variant
/// does not write every counter itself.
void clear_grid(launcher& to, const problem& p, const switches& s) {
  if (!p.clears_grid || s.has("clears")) return;
  const long long words = p.all_cells();
  const long long vectors = words / 4;
  const int tail_words = static_cast<int>(words - 4 * vectors);
  launch(to, clear, dim3(blocks_for(vectors + (tail_words != 0), block_threads)), dim3(block_threads), 0,
         static_cast<int4*>(p.grid), vectors, static_cast<int*>(p.grid) + 4 * vectors, tail_words);
}

}  // namespace ablate::voxelize
