#pragma once

#include <cstdint>
#include <vector>

#include "kernels/network/models.h"

namespace ablate::backbone {

/// Rows of a cluster when a level is pooled.
constexpr int pooled_rows = 2;

/// Of all lists of a kernel map, from where each ends, after a 0; of no lists 0.
inline std::int64_t pairs_of(const std::vector<std::int64_t>& list_ends) {
  return list_ends.empty() ? 0 : list_ends.back();
}

/// To what the rows of a level in buckets are padded.
enum class alignment {
  published,  ///< at the first level six windows, so that two or three may be interleaved, else one
  window,     ///< as many windows as the model interleaves at that level
  bucket      ///< a bucket: the last window is as short as what is left
};

/// How tokens are divided into windows.
struct window_shape {
  int bucket = 512;   ///< S: rows that stay together; a multiple of 128
  int window = 4096;  ///< W: tokens that attend to each other, whole buckets
  alignment align = alignment::published;
  bool masks_padding = false;  ///< padding is no key, except in windows that have nothing else

  /// Whether some tokens of some windows are no keys.
  bool has_partial_windows() const { return align == alignment::bucket || masks_padding; }
};

/// Rows of a level: all instances one after another, then padding. Where rows are gathered for their
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

  std::int64_t pairs() const { return pairs_of(list_ends); }
};

/// Of each level the windows that are interleaved there, which are whole together.
std::vector<int> interleaved_windows(const model&, alignment);

/// All levels of a model that pools in buckets, from the points of each instance: a row is left for two,
/// block of 1024 by block.
std::vector<level> levels_of(const std::vector<std::uint32_t>& ends, const window_shape&,
                             const std::vector<int>& interleaved);

/// Rows that a level of so many real ones has with its padding.
std::int64_t padded_rows(std::int64_t real, const window_shape&, int interleaved);

/// The buckets of each window of a level, in order (docs/operations/window_attention.md): [rows / W][W / S],
/// of a short last window those that are left. Where windows are aligned to buckets, those past the last
/// ones that can be interleaved follow each other.
std::vector<std::uint32_t> scope_table(std::int64_t rows, const window_shape&, const scope&);

}  // namespace ablate::backbone
