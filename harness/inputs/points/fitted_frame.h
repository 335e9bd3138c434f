#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "harness/inputs/points/box.h"

namespace ablate {

/// The box of the finite points of a cloud, in the cloud's own numbers and as doubles: fp32 cannot tell
/// points of one room apart whose coordinates count from the equator.
class point_bounds {
 public:
  /// A point with a coordinate that is not finite in fp32 is left out.
  void add(const std::array<double, 3>& point);

  std::int64_t points() const { return points_; }
  /// Undefined where there are no points.
  const std::array<double, 3>& low() const { return low_; }
  const std::array<double, 3>& high() const { return high_; }
  std::array<double, 3> middle() const;

 private:
  std::int64_t points_ = 0;
  std::array<double, 3> low_{}, high_{};
};

/// A frame that follows from the points: their box's middle becomes 0, and a cube around it reaches as far as
/// the box along its longest axis, and 2^-16 further, so that every point lies inside whatever fp32 rounds.
/// One scale for all axes: cells are cubes, and shapes keep their proportions. Only differences, halves and
/// products, so the same on every machine.
struct fitted_frame {
  std::array<double, 3> middle{};  ///< to be subtracted from the points
  box cube;                        ///< around 0; of edge 1 where all points are one
};

/// Throws input_unfit, naming `file`, where there are no points, and where the cube would be smaller than
/// 2^-60 or larger than 2^60: fp32 could not divide it into cells.
fitted_frame fit_frame(const std::string& file, const point_bounds&);

}  // namespace ablate
