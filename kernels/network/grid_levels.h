#pragma once

#include <cstdint>
#include <vector>

#include "kernels/network/levels.h"

namespace ablate::backbone {

constexpr int position_kernel = 3;  ///< edge of the convolution in a block
constexpr int stem_kernel = 5;      ///< of the first
constexpr int position_lists = 27;  ///< offsets of a block's convolution
constexpr int stem_lists = 125;

/// How many voxels a PTv3 has at each level, and how many of them are neighbors: that depends on where they
/// are, so it is counted on the host when a case is prepared, as knowledge of the workload. Memory is laid
/// out by it, and a pass that waits for nothing goes by it; what the device counts itself is compared.
struct grid_level {
  std::vector<std::uint32_t> ends;      ///< of each instance, cumulative
  std::vector<std::int64_t> list_ends;  ///< [position_lists + 1]: of the pairs at each offset
};
struct grid_levels {
  int depth = 0;  ///< bits of a cell's coordinate at the first level; a bit less at each further one
  std::vector<grid_level> of;
  std::vector<std::int64_t> stem_list_ends;  ///< [stem_lists + 1]: of the pairs at each offset of the stem
};

/// Levels of a network in windows of this many rows: each instance is padded to whole ones by rows of its
/// last whole window.
/// Throws std::invalid_argument where an instance has rows, but fewer than a window.
std::vector<level> levels_of(const grid_levels&, int window);

/// The same for rows in bucket order: padded at the end, as other levels of rows in buckets are.
std::vector<level> levels_in_buckets(const grid_levels&, const window_shape&,
                                     const std::vector<int>& interleaved);

/// The rows of an instance with the fewest, where that is less than a window; else 0.
std::int64_t rows_below_window(const grid_level&, int window);

}  // namespace ablate::backbone
