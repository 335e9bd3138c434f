#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace ablate::gate {

/// The last index at which a cumulative distribution is at most `level`, if any.
inline std::optional<std::size_t> last_within(const std::vector<double>& cumulative, double level) {
  const auto above = std::upper_bound(cumulative.begin(), cumulative.end(), level);
  if (above == cumulative.begin()) return std::nullopt;
  return static_cast<std::size_t>(above - cumulative.begin()) - 1;
}

}  // namespace ablate::gate
