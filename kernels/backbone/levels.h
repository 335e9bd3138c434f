#pragma once

#include <cstdint>
#include <vector>

#include "kernels/backbone/models.h"

namespace ablate::backbone {

/// Rows of a cluster when a level is pooled.
constexpr int pooled_rows = 2;

/// How tokens stand in windows (flash3d §1.4, §2.1).
struct window_shape {
  int bucket = 512;   ///< S: rows that stay together; a multiple of 128
  int window = 4096;  ///< W: tokens that attend to each other, whole buckets
};

/// Rows of a level: all instances one behind the other, then padding. Where rows are gathered for their
/// windows there is no padding here.
struct level {
  std::int64_t real = 0;            ///< V
  std::int64_t rows = 0;            ///< T: whole windows
  std::int64_t slots = 0;           ///< of all windows: rows where these are in whole windows
  std::int64_t largest = 0;         ///< of an instance
  std::vector<std::uint32_t> ends;  ///< of each instance, cumulative
  std::vector<std::uint32_t> slot_ends =
      {};  ///< of each instance's slots, cumulative, where rows are gathered
  std::vector<std::int64_t> list_ends = {};  ///< PTv3: grid_level's

  std::int64_t pairs() const { return list_ends.empty() ? 0 : list_ends.back(); }
};

/// All levels of a Flash3D model, from the points of each instance: pooling leaves a row for two, block of
/// 1024 by block. Padded as published, the first level to a multiple of six windows, so that windows may be
/// interleaved, the others to whole windows.
std::vector<level> levels_of(const std::vector<std::uint32_t>& ends, const window_shape&, int levels);

/// Rows that a level of so many real ones has with its padding.
std::int64_t padded_rows(std::int64_t real, int level, const window_shape&);

/// The buckets of each window of a level, in order (flash3d §2.1): [rows / W][W / S].
std::vector<std::uint32_t> scope_table(std::int64_t rows, const window_shape&, const scope&);

}  // namespace ablate::backbone
