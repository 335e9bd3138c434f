#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/common/min_max.h"
#include "kernels/voxelize/bins.h"

namespace ablate::voxelize {

/// One slab and its bins as a kernel argument; blockIdx.y is the cloud.
struct slab_of_bins : bin_plan {
  int first_cell, cells;  ///< of the slab, in the cloud's grid
  int vectors;            ///< per block
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

  /// The keys written by one block that deals.
  __device__ uint4* keys_of(unsigned block) const {
    return keys + (static_cast<long long>(blockIdx.y) * blocks + block) * vectors;
  }
  /// Where each block's vectors of a bin start; those of bin `bins` are the ends of the last bin.
  __device__ std::uint16_t* starts_of(int bin) const {
    return starts + (static_cast<long long>(blockIdx.y) * (bins() + 1) + bin) * blocks;
  }
  /// Pads vectors that are not full.
  __device__ std::uint16_t no_place() const { return static_cast<std::uint16_t>(cells_per_bin); }
};

/// Writes the keys of a slab's points, those of each block grouped by bin.
void deal_into_bins(launcher&, const problem&, const slab_of_bins&);

}  // namespace ablate::voxelize
