#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/inputs/input_library.h"
#include "kernels/sparse_conv/sparse_conv.h"

namespace ablate::sparse_conv {

/// Which level of which cloud, and which offsets.
struct map_request {
  std::string distribution;  ///< a generated cloud, or the name of a point file
  std::string order;         ///< of the level's rows: scan, morton, shuffled
  std::int64_t points = 0;   ///< of the cloud
  int level = 1;             ///< 1: cells of 5 cm; each level halves the coordinates of the one before
  int kernel = 3;            ///< offsets along each axis
};

/// A level's kernel map in all forms that variants take (problem).
struct level_map {
  std::vector<std::int32_t> coordinates;  ///< [rows][4]: batch, x, y, z
  std::vector<std::int32_t> table;
  std::vector<std::uint32_t> masks;
  std::vector<std::int32_t> order;
  std::vector<std::int32_t> ends, in_rows, out_rows;

  std::int64_t rows() const { return static_cast<std::int64_t>(coordinates.size() / 4); }
  std::int64_t pairs() const { return static_cast<std::int64_t>(in_rows.size()); }
};

/// Throws as input_library::cloud does.
std::shared_ptr<const level_map> map_at(const map_request&, const input_library&);

/// The map of the voxels at these coordinates (distinct, [rows][4]) by kernel³ offsets.
level_map map_of(std::vector<std::int32_t> coordinates, int kernel);

/// Rows sorted by their masks, [words][rows]. Their tiles of list_tile rows are then sorted by the number of
/// offsets that any row of a tile has, the most first, so that no large tile begins when others end; the last
/// tile, if it is not full, stays the last.
std::vector<std::int32_t> order_by_mask(std::span<const std::uint32_t> masks, std::int64_t rows);

/// How many (tile, offset) have a row, of tiles of list_tile rows in this order (empty: as they are).
std::int64_t offsets_of_tiles(std::span<const std::uint32_t> masks, std::int64_t rows,
                              std::span<const std::int32_t> order);

/// Each list cut into pieces of at most `most` pairs. A list of several has a part for each of them.
struct cut_lists {
  std::vector<piece> pieces;
  std::vector<std::int32_t> part_ends;  ///< [lists + 1]
};
cut_lists cut(std::span<const std::int32_t> ends, int most);

}  // namespace ablate::sparse_conv
