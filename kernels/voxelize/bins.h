#pragma once

#include "kernels/common/on_both.h"
#include "kernels/common/switches.h"
#include "kernels/voxelize/voxelize.h"

namespace ablate::voxelize {

constexpr int most_bins = 1024;                ///< those whose places a block finds at once
constexpr int most_cells_per_bin = 16 * 1024;  ///< 64 KiB of counters
constexpr int log2_cells_per_row = 5;          ///< neighbors that share a bin: 128 bytes of the grid
constexpr int cells_per_row = 1 << log2_cells_per_row;
/// A block's keys of one bin fill whole vectors of 16 bytes: who reads them need not ask of each key whether
/// it is one. What is left over of a vector names a place behind the last cell.
constexpr int keys_per_vector = 8;
/// What the switches `points_per_block`, besides `auto`, and `bins` offer.
constexpr int block_choices[] = {2048, 4096, 8192};
constexpr int bin_choices[] = {128, 256};

/// How cells belong to bins. Row r of a slab (32 neighboring cells) belongs to bin r mod bins, so that points
/// which crowd in one place of the grid spread over all bins; it is row r / bins there.
struct bin_map {
  int log2_bins = 0;

  ABLATE_ON_BOTH int bins() const { return 1 << log2_bins; }
  /// Of a cell of the slab.
  ABLATE_ON_BOTH int bin_of(int cell) const { return cell >> log2_cells_per_row & (bins() - 1); }
  ABLATE_ON_BOTH int place_of(int cell) const {
    return cell >> log2_cells_per_row >> log2_bins << log2_cells_per_row | (cell & (cells_per_row - 1));
  }
  /// The cell of the slab that has this place in a bin.
  ABLATE_ON_BOTH int cell_of(int bin, int place) const {
    return (place >> log2_cells_per_row << log2_bins | bin) << log2_cells_per_row |
           (place & (cells_per_row - 1));
  }
};

/// The bins of a problem, and which points a block deals into them. A grid with more cells than `most_bins`
/// bins can hold is cut into slabs of consecutive cells, and the points are dealt once for each slab.
struct bin_plan : bin_map {
  int cells_per_bin;     ///< a multiple of cells_per_row
  int slabs;             ///< of most_bins · most_cells_per_bin cells, but for the last
  int points_per_block;  ///< that deals
  unsigned blocks;       ///< that deal the points of one cloud

  /// Room for a block's keys.
  int vectors_per_block() const { return points_per_block / keys_per_vector + bins(); }

  /// At least `bins` of them in all clouds, where the cells suffice.
  bin_plan(const problem&, int bins, int points_per_block);
  bin_plan(const problem&, const switches&);
};

/// Working memory, of one slab after the other.
struct bin_scratch {
  std::uint16_t* keys;    ///< [batch][blocks][vectors_per_block][keys_per_vector]: places in the bins, by bin
  std::uint16_t* starts;  ///< [batch][bins + 1][blocks]: a block's first vector of a bin among its vectors
  std::size_t bytes;

  bin_scratch(const problem&, const bin_plan&);
};

}  // namespace ablate::voxelize
