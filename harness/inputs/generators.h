#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/inputs/box.h"

namespace ablate {

/// Made clouds, [points][3] in meters. Each is a function of its arguments alone, bit for bit, on every
/// machine.

/// Independent points, uniform in the half-open box.
std::vector<float> uniform_points(std::int64_t points, const box& domain, std::uint64_t seed);

/// 32 Gaussians of equal weight, sigma 2 % of each side; consecutive points belong to unrelated clusters.
std::vector<float> clustered_points(std::int64_t points, const box& domain, std::uint64_t seed);

/// A depth camera's view of a wall, a floor and three spheres, in raster order.
std::vector<float> surface_points(std::int64_t points, const box& domain, std::uint64_t seed);

enum class ray_order { ring_major, azimuth_major };

/// Scans of a 64-ring lidar on a plane with 60 cylinders, in meters around the first sensor pose, scan after
/// scan.
std::vector<float> lidar_points(std::int64_t points, std::uint64_t seed, ray_order order);

}  // namespace ablate
