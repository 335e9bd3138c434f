#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace ablate::gate {

/// The last place of a cumulative distribution that is at most `level`, if there is one.
inline std::optional<std::size_t> last_within(const std::vector<double>& cumulative, double level) {
  const auto above = std::upper_bound(cumulative.begin(), cumulative.end(), level);
  if (above == cumulative.begin()) return std::nullopt;
  return static_cast<std::size_t>(above - cumulative.begin()) - 1;
}

}  // namespace ablate::gate
