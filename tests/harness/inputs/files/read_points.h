#pragma once

#include <string>
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

/// By the reader of one format; the first points, 0 for all.
inline std::vector<float> read_with(held_points (*open)(const std::filesystem::path&),
                                    const std::filesystem::path& path, std::int64_t requested_points = 0) {
  const held_points points = open(path);
  return collected([&](const point_visitor& to) {
    points.visit(points_to_read(path, points.count, requested_points), to);
  });
}

/// A value's bytes in memory, or the other way round.
template <class T>
std::string bytes_of(T value, bool is_big_endian = false) {
  const std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
  return is_big_endian ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}

}  // namespace ablate::test_support
