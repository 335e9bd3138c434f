#pragma once

#include <algorithm>

#include "kernels/common/launch.cuh"
#include "kernels/voxelize/bins.h"

namespace ablate::voxelize {

constexpr int keys_per_vector = sizeof(uint4) / sizeof(std::uint16_t);

/// One slab and its bins as a kernel takes them; blockIdx.y is the cloud.
struct slab_of_bins : bin_plan {
  int first_cell, cells;  ///< of the slab, in the cloud's grid
  std::uint16_t *keys, *starts;

  slab_of_bins(const problem& p, const bin_plan& plan, int slab) : bin_plan(plan) {
    const long long most = 1ll * bins() * cells_per_bin, first = slab * most;
    first_cell = static_cast<int>(first);
    cells = static_cast<int>(std::min<long long>(p.cells_per_cloud() - first, most));
    const bin_scratch scratch(p, plan);
    keys = scratch.keys;
    starts = scratch.starts;
  }

  /// The keys of a block that deals.
  __device__ std::uint16_t* keys_of(unsigned block) const {
    return keys + (static_cast<long long>(blockIdx.y) * blocks + block) * points_per_block;
  }
  /// Where a bin's keys begin in each block; those of bin `bins` are the ends of the last.
  __device__ std::uint16_t* starts_of(int bin) const {
    return starts + (static_cast<long long>(blockIdx.y) * (bins() + 1) + bin) * blocks;
  }
};

/// Writes the keys of a slab's points, of each block by bin.
void deal_into_bins(launcher&, const problem&, const slab_of_bins&);

}  // namespace ablate::voxelize
