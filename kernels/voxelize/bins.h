#pragma once

#include "kernels/common/on_both.h"
#include "kernels/common/switches.h"
#include "kernels/voxelize/voxelize.h"

namespace ablate::voxelize {

constexpr int max_bins = 1024;                ///< as many as a block can deal into at once
constexpr int max_cells_per_bin = 16 * 1024;  ///< 64 KiB of counters
constexpr int log2_cells_per_row = 5;         ///< 32 neighbors share a bin: 128 bytes of the grid
constexpr int cells_per_row = 1 << log2_cells_per_row;
/// A block pads its keys of each bin to whole vectors of 16 bytes, so that readers need not check each key.
/// The padding names a place past the last cell.
constexpr int keys_per_vector = 8;
/// Points that a block deals. The switch `points_per_block` names one, or leaves it to the problem: `auto`.
constexpr int block_choices[] = {2048, 4096, 8192};
constexpr int least_bins = 128;  ///< over all clouds, if there are enough cells

/// Maps cells to bins. Row r of a slab (32 neighboring cells) is row r / bins of bin r mod bins, so that
/// points crowded in one part of the grid spread over all bins.
struct bin_map {
  int log2_bins = 0;

  ABLATE_ON_BOTH int bins() const { return 1 << log2_bins; }
  /// `cell` counts from the start of the slab.
  ABLATE_ON_BOTH int bin_of(int cell) const { return cell >> log2_cells_per_row & (bins() - 1); }
  ABLATE_ON_BOTH int place_of(int cell) const {
    return cell >> log2_cells_per_row >> log2_bins << log2_cells_per_row | (cell & (cells_per_row - 1));
  }
  /// The slab's cell at this place of a bin.
  ABLATE_ON_BOTH int cell_of(int bin, int place) const {
    return (place >> log2_cells_per_row << log2_bins | bin) << log2_cells_per_row |
           (place & (cells_per_row - 1));
  }
};

/// The bins of a problem, and which points each block deals into them. A grid with more cells than
/// `max_bins` bins can hold is cut into slabs of consecutive cells, and the points are dealt once per slab.
struct bin_plan : bin_map {
  int cells_per_bin;     ///< a multiple of cells_per_row
  int slabs;             ///< each of max_bins · max_cells_per_bin cells, except the last
  int points_per_block;  ///< in the kernel that deals
  unsigned blocks;       ///< to deal the points of one cloud

  /// Vectors reserved for one block's keys.
  int vectors_per_block() const { return points_per_block / keys_per_vector + bins(); }

  bin_plan(const problem&, int points_per_block);
  bin_plan(const problem&, const switches&);
};

/// Scratch memory, reused from slab to slab.
struct bin_scratch {
  std::uint16_t* keys;    ///< [batch][blocks][vectors_per_block][keys_per_vector]: places in the bins, by bin
  std::uint16_t* starts;  ///< [batch][bins + 1][blocks]: index of a block's first vector of each bin
  std::size_t bytes;

  bin_scratch(const problem&, const bin_plan&);
};

}  // namespace ablate::voxelize
