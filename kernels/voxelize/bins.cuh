#pragma once

#include <algorithm>

#include "kernels/common/launch.cuh"
#include "kernels/voxelize/bins.h"

namespace ablate::voxelize {

/// One slab and its bins as a kernel takes them; blockIdx.y is the cloud.
struct slab_of_bins : bin_plan {
  int first_cell, cells;  ///< of the slab, in the cloud's grid
  int vectors;            ///< of a block
  uint4* keys;
  std::uint16_t* starts;

  slab_of_bins(const problem& p, const bin_plan& plan, int slab)
      : bin_plan(plan), vectors(plan.vectors_per_block()) {
    const long long most = 1ll * bins() * cells_per_bin, first = slab * most;
    first_cell = static_cast<int>(first);
    cells = static_cast<int>(std::min<long long>(p.cells_per_cloud() - first, most));
    const bin_scratch scratch(p, plan);
    keys = reinterpret_cast<uint4*>(scratch.keys);
    starts = scratch.starts;
  }

  /// The keys of a block that deals.
  __device__ uint4* keys_of(unsigned block) const {
    return keys + (static_cast<long long>(blockIdx.y) * blocks + block) * vectors;
  }
  /// Where a bin's vectors begin in each block; those of bin `bins` are the ends of the last.
  __device__ std::uint16_t* starts_of(int bin) const {
    return starts + (static_cast<long long>(blockIdx.y) * (bins() + 1) + bin) * blocks;
  }
  /// What stands where a vector has room left.
  __device__ std::uint16_t no_place() const { return static_cast<std::uint16_t>(cells_per_bin); }
};

/// Writes the keys of a slab's points, of each block by bin.
void deal_into_bins(launcher&, const problem&, const slab_of_bins&);

}  // namespace ablate::voxelize
