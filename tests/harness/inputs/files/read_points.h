#pragma once

#include <vector>

#include "harness/inputs/files/point_file.h"

namespace ablate::test_support {

/// What `visit` shows to a visitor, [points][3], as fp32.
template <class Visit>
std::vector<float> collected(Visit visit) {
  std::vector<float> xyz;
  visit([&](const std::array<double, 3>& point) {
    for (const double coordinate : point) xyz.push_back(narrowed(coordinate));
  });
  return xyz;
}

inline std::vector<float> read_file_points(const std::filesystem::path& path, int floats_per_point,
                                           std::int64_t requested_points) {
  return collected(
      [&](const point_visitor& to) { visit_file_points(path, floats_per_point, requested_points, to); });
}

}  // namespace ablate::test_support
