// Staging in shared memory: the direct-mapped table of voxelize's smem_hashed with features + 1 words per
// slot beside the owner. The first cell to reach a slot claims it; points of that cell add in shared memory,
// points of other cells in device memory; at the end every claimed slot is added to its cell. Adding a float
// in shared memory is a compare-and-swap loop. Number of slots: as many as `table_kib` KiB hold, a power of
// two, at most 2048. Layout: feature by feature, so that neighboring slots are in different banks. Should
// move: L2 reductions, down by the number of points that share a cell within a block's points; shared atomics
// and their conflicts, up.
#include <bit>

#include "kernels/common/min_max.h"
#include "kernels/voxel_mean/launches.h"
#include "kernels/voxel_mean/view.cuh"

namespace ablate::voxel_mean {

constexpr int no_cell = -1;
constexpr unsigned max_slots = 2048;

/// Where a slot's feature is stored. Slots are xor-swizzled by the feature's index, within 32 neighbors, so
/// that the 32 values that a warp writes back (features, slots or both) are in different banks too.
template <int Features>
__device__ int place_of(int feature, int slot, int slots) {
  constexpr int slots_at_once = Features < warp_lanes ? warp_lanes / Features : 1;
  return feature * slots + (slot ^ (feature * slots_at_once % warp_lanes));
}

template <int Features>
__global__ __launch_bounds__(block_threads) void stage_features(view v, int points_per_block,
                                                                int log2_slots) {
  extern __shared__ int table[];
  constexpr int loaded = vector_width<Features>;
  const int slots = 1 << log2_slots;
  int* const owners = table;
  int* const counts = owners + slots;
  float* const sums = reinterpret_cast<float*>(counts + slots);  // [Features][slots]

  for (int s = threadIdx.x; s < slots; s += block_threads) owners[s] = no_cell;
  for (int s = threadIdx.x; s < (1 + Features) * slots; s += block_threads) counts[s] = 0;
  __syncthreads();

  const long long first = static_cast<long long>(blockIdx.x) * points_per_block;
  const long long end = min(first + points_per_block, v.points_per_cloud);
  for (long long i = first + threadIdx.x; i < end; i += block_threads) {
    const int cell = v.in_batch(v.cell_of_point(v.cloud_points(), i));
    if (cell < 0) continue;
    const int slot = static_cast<int>((static_cast<unsigned>(cell) * 2654435761u) >> (32 - log2_slots));
    int owner = owners[slot];
    if (owner == no_cell) owner = atomicCAS(owners + slot, no_cell, cell);
    const bool staged = owner == no_cell || owner == cell;
    if (staged)
      atomicAdd(counts + slot, 1);
    else
      atomicAdd(v.count + cell, 1);
    const float* const features = v.features_of<Features>(i);
#pragma unroll 4
    for (int f = 0; f < Features; f += loaded) {
      float values[loaded];
      load(values, features + f);
      if (staged)
        for (int k = 0; k < loaded; ++k) atomicAdd(sums + place_of<Features>(f + k, slot, slots), values[k]);
      else
        add<1>(v.sums_of<Features>(cell) + f, values);
    }
  }
  __syncthreads();

  // Neighboring threads take neighboring features of a slot.
  for (int e = threadIdx.x; e < slots * Features; e += block_threads) {
    const int slot = e / Features, feature = e % Features, cell = owners[slot];
    if (cell == no_cell) continue;
    if (feature == 0) atomicAdd(v.count + cell, counts[slot]);
    atomicAdd(v.sums_of<Features>(cell) + feature, sums[place_of<Features>(feature, slot, slots)]);
  }
}

void smem_table(launcher& to, const problem& p, const switches& s) {
  const int points_per_block = points_per_block_for(to, p);
  const std::size_t slot_bytes = sizeof(int) * (2 + static_cast<std::size_t>(p.features));
  const std::size_t fitting = 1024 * static_cast<std::size_t>(s.integer("table_kib")) / slot_bytes;
  const unsigned slots = std::min(max_slots, static_cast<unsigned>(std::bit_floor(fitting)));
  with_features(p, [&](auto features) {
    launch(to, stage_features<features>, grid_of(p, points_per_block), dim3(block_threads),
           slots * slot_bytes, view(p), points_per_block, std::countr_zero(slots));
  });
  divide_sums(to, p);
}

}  // namespace ablate::voxel_mean
