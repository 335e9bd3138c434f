#pragma once

#include "kernels/kernel_map/coarse_cells.cuh"

namespace ablate::kernel_map {

constexpr int mask_threads = 128;

/// One thread per out row looks up the cells of its box in turn. `symmetric`: also counts the row's pair
/// with itself, which is not searched.
template <probed_cells Probed>
__global__ __launch_bounds__(mask_threads) void probe_cells(view v, const cell_table cells, cell_box box,
                                                            bool symmetric) {
  const long long out = static_cast<long long>(blockIdx.x) * mask_threads + threadIdx.x;
  if (out >= v.outs) return;
  const coordinate at = v.wanted(v.outs_at[out], {0, 0, 0}), home = box.cell_of(at);
  unsigned mask = 0, bit = 1, looked = 0;
  int3 d;
  for (d.x = box.low[0]; d.x < box.low[0] + box.width[0]; ++d.x)
    for (d.y = box.low[1]; d.y < box.low[1] + box.width[1]; ++d.y)
      for (d.z = box.low[2]; d.z < box.low[2] + box.width[2]; ++d.z, bit <<= 1) {
        if (Probed == probed_cells::own_box && !box.reaches(at, d)) continue;
        if (cells.find(neighbor(home, d, box.shift, v.guards), looked) != cell_table::nothing) mask |= bit;
      }
  v.scratch.masks[out] = mask;
  if (v.events != nullptr) {
    atomicAdd(v.events + queries, 1ull);
    atomicAdd(v.events + coarse_probes, static_cast<unsigned long long>(looked));
    if (symmetric) atomicAdd(v.events + pairs, 1ull);
  }
}

inline void probe_all_cells(launcher& to, const problem& p, const cell_table& cells, const cell_box& box,
                            probed_cells probed, searched_offsets which) {
  launch(to,
         probed == probed_cells::own_box ? probe_cells<probed_cells::own_box>
                                         : probe_cells<probed_cells::fixed_box>,
         dim3(blocks_for(p.outs, mask_threads)), dim3(mask_threads), 0, view(p), cells, box,
         which == searched_offsets::first_half);
}

}  // namespace ablate::kernel_map
