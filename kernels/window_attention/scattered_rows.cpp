#include "kernels/window_attention/scattered_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/serialize/serialize.h"

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

}  // namespace ablate::window_attention
