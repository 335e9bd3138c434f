// What the variants that match bitmaps of 4³ cells share: bits of a map, the numbers of a cell's neighbors,
// and each group's places in the lists. A group is 32 cells, one per lane of a warp.
#pragma once

#include "kernels/kernel_map/coarse_cells.cuh"

namespace ablate::kernel_map {

constexpr int resident_match_blocks = 5;  ///< per SM, limited by threads and registers

/// As many blocks as the device holds at once; none without rows.
inline unsigned match_blocks(const launcher& to, const problem& p) {
  return p.rows == 0 ? 0 : resident_match_blocks * static_cast<unsigned>(to.device().multiprocessors);
}

/// Groups of the cells that there are.
__device__ inline unsigned groups_of(const view& v) { return (v.scratch.cell_count[0] + 31) / 32; }

__device__ inline unsigned long long below(int place) { return (1ull << place) - 1; }

/// The place of the set bit with `rank` set bits below it.
__device__ inline int place_of_rank(unsigned long long bits, int rank) {
  unsigned half = static_cast<unsigned>(bits);
  int place = 0;
  if (const int lower = __popc(half); rank >= lower) {
    rank -= lower;
    place = 32;
    half = static_cast<unsigned>(bits >> 32);
  }
#pragma unroll
  for (int width = 16; width > 0; width /= 2) {
    const int lower = __popc(half & ((1u << width) - 1));
    if (rank < lower) continue;
    rank -= lower;
    place += width;
    half >>= width;
  }
  return place;
}

/// The numbers of the cells around each cell, or −1: [cells of the box][rows], in the memory of the dense
/// table, which these variants do not use. It fits: undilated, an axis has no more cells than offsets.
void find_all_neighbors(launcher&, const problem&, cell_numbering, const cell_box&);

/// scratch.block_counts [groups][offsets], the first `offsets` of the kernel → exclusive sums within chunks
/// of groups; scratch.chunk_counts → exclusive sums over the chunks; the totals in scratch.counts.
void sum_group_counts(launcher&, const problem&, int offsets);

}  // namespace ablate::kernel_map
