#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "harness/inputs/clouds.h"

namespace ablate {

inline const box unit_box{{0, 0, 0}, {1, 1, 1}};
/// The box around a vehicle whose cells are 0.8 x 0.8 x 0.0625 m at 128 per axis.
inline const box vehicle_box{{-51.2f, -51.2f, -4}, {102.4f, 102.4f, 8}};

inline std::string hash_of(const std::vector<float>& xyz) {
  return hash_hex(xyz.data(), xyz.size() * sizeof(float));
}

/// The bits of every point, sorted: equal for two clouds of the same points in any order.
inline std::vector<std::array<std::uint32_t, 3>> multiset_of(const std::vector<float>& xyz) {
  std::vector<std::array<std::uint32_t, 3>> points(xyz.size() / 3);
  if (!points.empty()) std::memcpy(points.data(), xyz.data(), xyz.size() * sizeof(float));
  std::sort(points.begin(), points.end());
  return points;
}

}  // namespace ablate
