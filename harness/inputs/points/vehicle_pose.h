#pragma once

#include <array>

namespace ablate {

/// The pose of a vehicle driving along a gentle curve, and its LiDAR points in the frame of its first pose.
/// Uses only sums and products of short constants, so all machines agree.
struct vehicle_pose {
  double cosine = 1, sine = 0;  ///< of its heading
  double x = 0, y = 0;          ///< meters

  /// 2 m ahead along the vehicle's x, then turned 1.79 degrees about the vertical.
  vehicle_pose next() const {
    constexpr double step = 2, tangent_of_half = 1. / 64, square = tangent_of_half * tangent_of_half;
    constexpr double cosine_of_turn = (1 - square) / (1 + square),
                     sine_of_turn = 2 * tangent_of_half / (1 + square);
    return {cosine * cosine_of_turn - sine * sine_of_turn, sine * cosine_of_turn + cosine * sine_of_turn,
            x + step * cosine, y + step * sine};
  }

  std::array<double, 3> seen_from_the_first(const std::array<double, 3>& point) const {
    return {cosine * point[0] - sine * point[1] + x, sine * point[0] + cosine * point[1] + y, point[2]};
  }
};

}  // namespace ablate
