#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "harness/inputs/points/box.h"

namespace ablate {

/// The bounding box of a cloud's finite points, in the cloud's own coordinates as doubles: fp32 cannot
/// resolve points within a room if their coordinates count from the equator.
class point_bounds {
 public:
  /// Skips a point with a coordinate that is not finite in fp32.
  void add(const std::array<double, 3>& point);

  std::int64_t points() const { return points_; }
  /// Undefined if there are no points.
  const std::array<double, 3>& low() const { return low_; }
  const std::array<double, 3>& high() const { return high_; }
  std::array<double, 3> middle() const;

  /// Whether 0 is outside the box by more than half of its longest edge: coordinates then spend digits on the
  /// offset that the points' relative positions lack.
  bool is_far_from_zero() const;

 private:
  std::int64_t points_ = 0;
  std::array<double, 3> low_{}, high_{};
};

/// How some sensors (Ouster's among them) store a ray that never returned.
inline bool is_zero_return(const std::array<double, 3>& point) { return point == std::array<double, 3>{}; }

/// A frame derived from the points: the middle of their box becomes 0, and the cube around it extends as far
/// as the box along its longest axis, and 2^-16 further, so that every point is inside despite fp32
/// rounding. One scale for all axes: cells are cubes and shapes keep their proportions. Uses only
/// differences, halves and products, so it is identical on every machine.
struct fitted_frame {
  std::array<double, 3> middle{};  ///< to be subtracted from the points
  box cube;                        ///< around 0; edge 1 if all points coincide
};

/// Throws input_unfit, naming `file`, if there are no points or the cube would be smaller than 2^-60 or
/// larger than 2^60, which fp32 could not divide into cells.
fitted_frame fit_frame(const std::string& file, const point_bounds&);

}  // namespace ablate
