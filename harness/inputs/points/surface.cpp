#include <algorithm>
#include <cmath>

#include "harness/inputs/points/generators.h"
#include "harness/inputs/random.h"

namespace ablate {
namespace {

struct sphere {
  double x, y, z, radius;
};

// The scene in fractions of the box: x to the right, y up, z away from the camera, which is in front of the
// box. Tuned so that views of 50 K points in 64 and 1 M points in 128 cells per axis have the published
// shares of occupied voxels and of voxels repeated within a warp, a block and a table (the merge model of the
// tests). Wall and floor therefore stop short of the box's edges; otherwise they would occupy more voxels
// than published.
constexpr double camera_x = 0.5, camera_y = 0.7639, camera_z = -1.2673;
constexpr double wall_z = 0.8626;
constexpr double floor_y = 0.3552;
constexpr std::array<sphere, 3> spheres = {
    {{0.2454, 0.3991, 0.4187, 0.0741}, {0.5320, 0.4474, 0.2515, 0.2207}, {0.6733, 0.3169, 0.3955, 0.1281}}};
// At unit depth: half the image's width and height, and its center's distance below the horizon; then width
// over rows.
constexpr double half_width = 0.2161, half_height = 0.1997, pitch = 0.0922, aspect = 1.6605;
constexpr double relative_range_noise = 0.002;  // of the range

/// Depth of the first hit of the ray (dx, dy, 1).
double depth_of(double dx, double dy) {
  double depth = wall_z - camera_z;
  if (dy < 0) depth = std::min(depth, (floor_y - camera_y) / dy);
  for (const sphere& s : spheres) {
    const double x = camera_x - s.x, y = camera_y - s.y, z = camera_z - s.z;
    const double a = dx * dx + dy * dy + 1;
    const double b = x * dx + y * dy + z;
    const double c = x * x + y * y + z * z - s.radius * s.radius;
    const double discriminant = b * b - a * c;
    if (discriminant > 0) depth = std::min(depth, (-b - std::sqrt(discriminant)) / a);
  }
  return depth;
}

}  // namespace

std::vector<float> surface_points(std::int64_t points, const box& domain, std::uint64_t seed) {
  const auto width = static_cast<std::int64_t>(std::sqrt(aspect * static_cast<double>(points))) + 1;
  const std::int64_t rows = (points + width - 1) / width;
  random_stream noise(seed, "surface noise");
  std::vector<float> xyz(static_cast<std::size_t>(points) * 3);
  for (std::int64_t i = 0; i < points; ++i) {
    const double right = 2 * (static_cast<double>(i % width) + 0.5) / static_cast<double>(width) - 1;
    const double up = 1 - 2 * (static_cast<double>(i / width) + 0.5) / static_cast<double>(rows);
    const double dx = right * half_width;
    const double dy = up * half_height - pitch;
    const double depth = depth_of(dx, dy) * (1 + relative_range_noise * noise.normal());
    const std::array<double, 3> inside = {camera_x + depth * dx, camera_y + depth * dy, camera_z + depth};
    for (std::size_t axis = 0; axis < 3; ++axis)
      xyz[static_cast<std::size_t>(i) * 3 + axis] =
          static_cast<float>(domain.origin[axis] + domain.size[axis] * inside[axis]);
  }
  return xyz;
}

}  // namespace ablate
