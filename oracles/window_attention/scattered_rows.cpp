#include "oracles/window_attention/scattered_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "kernels/common/locality.h"
#include "kernels/window_attention/moved_rows.h"
#include "oracles/serialize/reference.h"

namespace ablate::window_attention {

std::vector<std::uint64_t> keys_along_curve(std::span<const float> xyz) {
  constexpr int depth = key_bits / 3;
  constexpr double cell_meters = 0.05, last_cell = (1 << depth) - 1;
  std::array<double, 3> lowest;
  lowest.fill(std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < xyz.size(); ++i)
    if (std::isfinite(xyz[i])) lowest[i % 3] = std::min(lowest[i % 3], static_cast<double>(xyz[i]));
  std::vector<std::uint64_t> keys(xyz.size() / 3);
  for (std::size_t row = 0; row < keys.size(); ++row) {
    std::array<std::uint32_t, 3> cell;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double at = (static_cast<double>(xyz[3 * row + axis]) - lowest[axis]) / cell_meters;
      cell[axis] = at > 0 ? static_cast<std::uint32_t>(std::min(at, last_cell)) : 0;
    }
    keys[row] = serialize::code_of(serialize::curve::hilbert, depth, cell);
  }
  return keys;
}

scattered_rows::scattered_rows(const std::vector<std::uint64_t>& keys)
    : row_of_token(keys.size()), token_of_row(keys.size()) {
  std::iota(row_of_token.begin(), row_of_token.end(), std::int64_t{0});
  std::stable_sort(row_of_token.begin(), row_of_token.end(), [&](std::int64_t a, std::int64_t b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  for (std::size_t token = 0; token < keys.size(); ++token)
    token_of_row[static_cast<std::size_t>(row_of_token[token])] = static_cast<std::int64_t>(token);
  const auto narrow = [](const std::vector<std::int64_t>& wide) {
    std::vector<std::int32_t> result(wide.size());
    std::transform(wide.begin(), wide.end(), result.begin(),
                   [](std::int64_t i) { return static_cast<std::int32_t>(i); });
    return result;
  };
  narrow_row_of_token = narrow(row_of_token);
  narrow_token_of_row = narrow(token_of_row);
}

window_locality locality_of(std::span<const float> xyz, std::span<const std::int64_t> row_of_token,
                            std::int64_t window) {
  slice_locality windows;
  std::int64_t steps = 0, side_by_side = 0;
  double distances = 0;
  const auto tokens = static_cast<std::int64_t>(row_of_token.size());
  std::vector<std::array<float, 3>> points;
  for (std::int64_t first = 0; first + window <= tokens; first += window) {
    const auto rows = row_of_token.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(window));
    points.clear();
    for (const std::int64_t row : rows) {
      const auto at = xyz.subspan(3 * static_cast<std::size_t>(row), 3);
      if (std::isfinite(at[0]) && std::isfinite(at[1]) && std::isfinite(at[2]))
        points.push_back({at[0], at[1], at[2]});
    }
    if (!points.empty())
      windows.add(static_cast<std::int64_t>(points.size()), [&](std::int64_t i, std::size_t axis) {
        return points[static_cast<std::size_t>(i)][axis];
      });
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const std::int64_t distance = std::abs(rows[i] - rows[i - 1]);
      distances += static_cast<double>(distance);
      side_by_side += distance == 1;
      ++steps;
    }
  }
  window_locality found{windows.mean_rms(), std::nullopt, std::nullopt};
  if (steps > 0) {
    found.row_distance = distances / static_cast<double>(steps);
    found.row_neighbor_share = static_cast<double>(side_by_side) / static_cast<double>(steps);
  }
  return found;
}

}  // namespace ablate::window_attention
