#include <algorithm>
#include <cmath>

#include "harness/inputs/exact_math.h"
#include "harness/inputs/points/generators.h"
#include "harness/inputs/random.h"

namespace ablate {
namespace {

constexpr std::int64_t rings = 64;
constexpr std::int64_t azimuths_per_scan = 2048;
constexpr std::int64_t points_per_scan = rings * azimuths_per_scan;
constexpr double highest_ring_degrees = 2.0;
constexpr double lowest_ring_degrees = -24.8;

// Meters. Sensor height and cylinders are tuned so that a scan with any seed has the published shares of
// occupied voxels and of voxels repeated within a warp, a block and a table (the merge model of the tests).
constexpr double sensor_height = 1.746;
constexpr double range_noise = 0.02;
constexpr double farthest_return = 100;  // for a ray that hits nothing
constexpr int cylinders = 60;            // taller than any ray that hits them
constexpr double smallest_radius = 0.3, largest_radius = 1.1;
constexpr double smallest_distance = 12.4, largest_distance = 31;
// Later poses stay this close to the first: all see much the same, and none is inside a cylinder.
constexpr double pose_wander = 2;

struct cylinder {
  double x, y, radius;
};

/// One cylinder in each sixtieth of the circle, so that every seed's scene occludes about as much ground.
std::vector<cylinder> place_cylinders(std::uint64_t seed) {
  random_stream random(seed, "lidar cylinders");
  std::vector<cylinder> scene;
  for (int i = 0; i < cylinders; ++i) {
    const sine_cosine direction = sine_cosine_of_turns((i + random.uniform()) / cylinders);
    const double distance = random.uniform(smallest_distance, largest_distance);
    const double radius = random.uniform(smallest_radius, largest_radius);
    scene.push_back({distance * direction.cosine, distance * direction.sine, radius});
  }
  return scene;
}

/// Horizontal distance from (x, y) to the first cylinder in a direction; farthest_return if there is none.
double clear_distance(const std::vector<cylinder>& scene, double x, double y, const sine_cosine& azimuth) {
  double distance = farthest_return;
  for (const cylinder& c : scene) {
    const double along = (c.x - x) * azimuth.cosine + (c.y - y) * azimuth.sine;
    const double across = (c.x - x) * azimuth.sine - (c.y - y) * azimuth.cosine;
    const double half_chord_squared = c.radius * c.radius - across * across;
    if (along > 0 && half_chord_squared > 0)
      distance = std::min(distance, along - std::sqrt(half_chord_squared));
  }
  return distance;
}

}  // namespace

std::vector<float> lidar_points(std::int64_t points, std::uint64_t seed, ray_order order) {
  const std::vector<cylinder> scene = place_cylinders(seed);
  std::array<sine_cosine, rings> elevations;
  for (std::int64_t ring = 0; ring < rings; ++ring) {
    const double share = static_cast<double>(ring) / (rings - 1);
    const double degrees = highest_ring_degrees + (lowest_ring_degrees - highest_ring_degrees) * share;
    elevations[ring] = sine_cosine_of_turns(degrees / 360);
  }

  random_stream noise(seed, "lidar noise");
  random_stream wander(seed, "lidar poses");
  std::vector<float> xyz(static_cast<std::size_t>(points) * 3);
  const std::int64_t scans = (points + points_per_scan - 1) / points_per_scan;
  for (std::int64_t scan = 0; scan < scans; ++scan) {
    const std::int64_t first = points * scan / scans;
    const std::int64_t size = points * (scan + 1) / scans - first;
    const std::int64_t azimuths = (size + rings - 1) / rings;
    // The last azimuth may lack its lowest rings so that the scan has the exact size.
    const std::int64_t rings_of_last_azimuth = size - (azimuths - 1) * rings;
    const double x = scan == 0 ? 0 : wander.uniform(-pose_wander, pose_wander);
    const double y = scan == 0 ? 0 : wander.uniform(-pose_wander, pose_wander);
    const double turn = scan == 0 ? 0 : wander.uniform();

    for (std::int64_t i = 0; i < size; i += rings) {
      const std::int64_t a = i / rings;
      const sine_cosine azimuth = sine_cosine_of_turns(turn + static_cast<double>(a) / azimuths);
      const double clear = clear_distance(scene, x, y, azimuth);
      for (std::int64_t ring = 0; ring < std::min(rings, size - i); ++ring) {
        const sine_cosine& elevation = elevations[ring];
        double range = clear / elevation.cosine;
        if (elevation.sine < 0) range = std::min(range, sensor_height / -elevation.sine);
        range += range_noise * noise.normal();
        const std::int64_t place = order == ray_order::azimuth_major
                                       ? i + ring
                                       : ring * (azimuths - 1) + std::min(ring, rings_of_last_azimuth) + a;
        float* point = &xyz[static_cast<std::size_t>(first + place) * 3];
        point[0] = static_cast<float>(x + range * elevation.cosine * azimuth.cosine);
        point[1] = static_cast<float>(y + range * elevation.cosine * azimuth.sine);
        point[2] = static_cast<float>(range * elevation.sine);
      }
    }
  }
  return xyz;
}

}  // namespace ablate
