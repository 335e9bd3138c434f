#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace ablate::voxelize::test_support {

/// One point in a grid of 4×4×4 cells with edge 0.25 m at the origin, and the cell that it must be counted
/// in.
struct corner_case {
  std::string name;
  float point[3];
  long cell;  ///< −1: dropped
};

/// The table in docs/operations/voxelize.md and more, one line per trap.
inline std::vector<corner_case> corner_cases() {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float huge = std::numeric_limits<float>::max();
  constexpr float below_one = 0x1.fffffep-1f;
  return {
      {"nan_x", {nan, 0.1f, 0.1f}, -1},
      {"nan_y", {0.1f, nan, 0.1f}, -1},
      {"nan_z", {0.1f, 0.1f, nan}, -1},
      {"all_nan", {nan, nan, nan}, -1},
      {"plus_infinity", {infinity, 0.1f, 0.1f}, -1},
      {"minus_infinity", {0.1f, -infinity, 0.1f}, -1},
      {"huge", {0.1f, 0.1f, huge}, -1},
      {"minus_huge", {-huge, 0.1f, 0.1f}, -1},
      {"at_the_origin", {0.0f, 0.0f, 0.0f}, 0},
      {"minus_zero", {-0.0f, -0.0f, -0.0f}, 0},
      {"on_the_upper_face", {1.0f, 0.1f, 0.1f}, -1},
      {"on_every_upper_face", {1.0f, 1.0f, 1.0f}, -1},
      {"just_below_the_upper_face", {below_one, below_one, below_one}, 63},
      {"just_below_the_origin", {-0.1f, 0.1f, 0.1f}, -1},
      {"smallest_below_the_origin", {-std::numeric_limits<float>::denorm_min(), 0.0f, 0.0f}, -1},
      {"smallest_above_the_origin", {std::numeric_limits<float>::denorm_min(), 0.0f, 0.0f}, 0},
      {"on_an_inner_boundary", {0.25f, 0.5f, 0.75f}, 1 + 4 * (2 + 4 * 3)},
      {"just_below_an_inner_boundary", {0x1.fffffep-3f, 0.5f, 0.75f}, 0 + 4 * (2 + 4 * 3)},
      {"x_is_fastest", {0.3f, 0.1f, 0.1f}, 1},
      {"y_is_next", {0.1f, 0.3f, 0.1f}, 4},
      {"z_is_slowest", {0.1f, 0.1f, 0.3f}, 16},
  };
}

/// The points of all corner cases, 40 times over.
inline std::vector<float> corner_cases_together() {
  std::vector<float> points;
  for (int times = 0; times < 40; ++times)
    for (const corner_case& c : corner_cases()) points.insert(points.end(), c.point, c.point + 3);
  return points;
}

/// So many points in one voxel of the unit cube.
inline std::vector<float> one_hot_voxel(int count) {
  std::vector<float> points;
  for (int i = 0; i < count; ++i) points.insert(points.end(), {0.4f, 0.4f, 0.4f});
  return points;
}

/// One point in each of 32×32×32 cells of the unit cube, one cell after the other.
inline std::vector<float> one_point_a_voxel() {
  std::vector<float> points;
  for (int z = 0; z < 32; ++z)
    for (int y = 0; y < 32; ++y)
      for (int x = 0; x < 32; ++x)
        points.insert(points.end(), {(x + 0.5f) / 32, (y + 0.5f) / 32, (z + 0.5f) / 32});
  return points;
}

/// Points on the boundaries of cells with edge `edge`, up to `cells` along each axis, and the fp32 numbers
/// before and after those: where a division and a multiplication by the reciprocal differ.
inline std::vector<float> points_on_boundaries(float edge, int cells) {
  std::vector<float> points;
  for (int i = 0; i <= cells; ++i) {
    const float multiple = static_cast<float>(i) * edge;
    for (const float at : {std::nextafterf(multiple, -1.0f), multiple, std::nextafterf(multiple, 2.0f)})
      points.insert(points.end(), {at, 0.01f, 0.01f, 0.01f, at, 0.01f, 0.01f, 0.01f, at, at, at, at});
  }
  return points;
}

}  // namespace ablate::voxelize::test_support
