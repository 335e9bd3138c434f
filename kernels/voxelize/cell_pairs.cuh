#pragma once

#include "kernels/voxelize/warp_merge.cuh"

namespace ablate::voxelize {

/// The grid of the whole batch as pairs of counters, cells 2j and 2j + 1: one 64-bit word, the same bytes in
/// memory (low half first). Pairs are numbered over the batch, since a cloud with an odd number of cells ends
/// inside one. If the batch has an odd number, the last cell has no partner and is counted alone.
template <class Count>
struct cell_pairs {
  Count* grid;
  long long cells;  ///< in the batch

  explicit cell_pairs(const problem& p) : grid(static_cast<Count*>(p.grid)), cells(p.all_cells()) {}

  /// Place of a cell of this block's cloud among the cloud's pairs: twice the pair, plus the half; −1 if
  /// there is no cell.
  __device__ static int place_of(const view<Count>& v, int cell) {
    return cell < 0 ? -1 : cell + static_cast<int>(blockIdx.y * v.cells_per_cloud % 2);
  }

  /// Adds to both cells of a pair of this block's cloud in one reduction.
  template <bool Instrumented>
  __device__ void add(const view<Count>& v, int pair_of_cloud, unsigned low, unsigned high,
                      tally<Instrumented>& events) const {
    const long long pair = blockIdx.y * v.cells_per_cloud / 2 + pair_of_cloud;
    events.add(global_atomics);
    if (2 * pair + 1 == cells)
      atomicAdd(grid + 2 * pair, static_cast<Count>(low));
    else
      add_to_both(pair, low, high);
  }

 private:
  __device__ void add_to_both(long long pair, unsigned low, unsigned high) const {
    if constexpr (std::is_same_v<Count, float>) {
#if __CUDA_ARCH__ >= 900
      atomicAdd(reinterpret_cast<float2*>(grid) + pair,
                make_float2(static_cast<float>(low), static_cast<float>(high)));
#endif
    } else {
      atomicAdd(reinterpret_cast<unsigned long long*>(grid) + pair,
                static_cast<unsigned long long>(high) << 32 | low);
    }
  }
};

}  // namespace ablate::voxelize
