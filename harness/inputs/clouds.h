#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/inputs/files/point_file.h"
#include "harness/inputs/input_library.h"
#include "harness/inputs/points/box.h"
#include "harness/inputs/points/fitted_frame.h"
#include "harness/inputs/voxels/cloud.h"

namespace ablate {

/// Where a point file's coordinates are counted from. The difference is formed in float64, before anything is
/// rounded.
enum class cloud_origin {
  stored,  ///< as the file has them
  middle,  ///< from the middle of the points' box
  /// As the file has them if the points are around 0 (a scan around its sensor); from the middle of their box
  /// if they are far from it (map coordinates), by point_bounds::is_far_from_zero.
  near_points
};

struct cloud_request {
  std::string distribution;  ///< uniform, surface, lidar, clustered, or the name of a point file
  std::string order;         ///< natural, azimuth (lidar only), shuffled, morton
  std::int64_t points = 0;   ///< at most 2^24; for a point file its first points, 0 = all
  box domain;
  cloud_origin origin = cloud_origin::stored;  ///< of a point file; `middle`: `domain` is the fitted cube
};

struct point_cloud {
  std::vector<float> xyz;       ///< [points][3], meters
  std::int64_t non_finite = 0;  ///< points with a NaN or infinite coordinate; they are kept
  /// Points of a file at exactly (0, 0, 0): how some sensors store a ray that never returned. They are kept.
  std::int64_t zero_returns = 0;
  std::array<double, 3> offset{};  ///< was subtracted from a file's coordinates
  std::int64_t points() const { return static_cast<std::int64_t>(xyz.size() / 3); }
};

}  // namespace ablate
