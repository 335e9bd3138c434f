#include "kernels/network/grid_levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "kernels/serialize/serialize.h"

namespace ablate::backbone {
namespace {

/// Without padding and windows.
level level_of(const grid_level& of) {
  level next;
  next.ends = of.ends;
  next.real = next.rows = of.ends.back();
  next.list_ends = of.list_ends;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : of.ends) {
    next.largest = std::max<std::int64_t>(next.largest, end - begin);
    begin = end;
  }
  return next;
}

}  // namespace

std::int64_t rows_below_window(const grid_level& of, int window) {
  std::int64_t fewest = 0;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : of.ends) {
    const std::int64_t rows = end - begin;
    if (rows > 0 && rows < window && (fewest == 0 || rows < fewest)) fewest = rows;
    begin = end;
  }
  return fewest;
}

std::vector<level> levels_of(const grid_levels& grid, int window) {
  std::vector<level> all;
  for (const grid_level& of : grid.of) {
    if (const std::int64_t fewest = rows_below_window(of, window); fewest > 0)
      throw std::invalid_argument(
          fmt::format("level {}: {} rows are less than a window of {}", all.size() + 1, fewest, window));
    level next = level_of(of);
    std::uint32_t begin = 0;
    for (const std::uint32_t end : of.ends) {
      next.slots += serialize::slots_of(end - begin, window);
      next.slot_ends.push_back(static_cast<std::uint32_t>(next.slots));
      begin = end;
    }
    all.push_back(std::move(next));
  }
  return all;
}

std::vector<level> levels_in_buckets(const grid_levels& grid, const window_shape& shape,
                                     const std::vector<int>& interleaved) {
  std::vector<level> all;
  for (const grid_level& of : grid.of) {
    level next = level_of(of);
    next.rows = next.slots = padded_rows(next.real, shape, interleaved[all.size()]);
    all.push_back(std::move(next));
  }
  return all;
}

}  // namespace ablate::backbone
