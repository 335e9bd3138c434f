#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/voxelize/bins.h"

namespace ablate::voxelize {

/// One slab and its bins as a kernel takes them; blockIdx.y is the cloud.
struct slab_of_bins : bin_map {
  int first_cell, cells;  ///< of the slab, in the cloud's grid
  int cells_per_bin;
  unsigned blocks;  ///< that dealt the cloud's points
  int points_per_block;
  std::uint16_t *keys, *starts;

  slab_of_bins(const problem& p, const bin_plan& plan, int slab) : bin_map(plan) {
    const bin_scratch scratch(p, plan);
    const long long first = 1ll * slab * plan.bins() * plan.cells_per_bin;
    first_cell = static_cast<int>(first);
    cells = static_cast<int>(std::min(p.cells_per_cloud() - first, 1ll * plan.bins() * plan.cells_per_bin));
    cells_per_bin = plan.cells_per_bin;
    blocks = plan.blocks;
    points_per_block = plan.points_per_block;
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
void deal_into_bins(launcher&, const problem&, const bin_plan&, const slab_of_bins&, bool is_first_slab);

}  // namespace ablate::voxelize
