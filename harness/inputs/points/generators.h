#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/inputs/points/box.h"

namespace ablate {

/// Generated clouds, [points][3] in meters: they depend only on their arguments, bit-identical on every
/// machine.

/// Independent points, uniform in the half-open box.
std::vector<float> uniform_points(std::int64_t points, const box& domain, std::uint64_t seed);

/// 32 Gaussians of equal weight, sigma 2 % of each side; consecutive points belong to unrelated clusters.
std::vector<float> clustered_points(std::int64_t points, const box& domain, std::uint64_t seed);

/// A depth camera's view of a wall, a floor and three spheres, in raster order: x to the right, y up, z away.
/// Every point is inside the box.
std::vector<float> surface_points(std::int64_t points, const box& domain, std::uint64_t seed);

enum class ray_order { ring_major, azimuth_major };

/// Scans of a 64-ring lidar on a plane with 60 cylinders, in meters around the first sensor pose. One scan
/// for up to 131 072 points; above that the fewest scans that suffice, one after another, each from its own
/// pose. A ray that hits nothing returns from 100 m.
std::vector<float> lidar_points(std::int64_t points, std::uint64_t seed, ray_order order);

}  // namespace ablate
