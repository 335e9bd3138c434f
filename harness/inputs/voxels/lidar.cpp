#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "harness/inputs/exact_math.h"
#include "harness/inputs/random.h"
#include "harness/inputs/voxels/collector.h"
#include "harness/inputs/voxels/generators.h"

namespace ablate {
namespace {

constexpr int beams = 64, azimuths = 2000;
constexpr double highest_beam_degrees = 2, lowest_beam_degrees = -24.8;

// Meters.
constexpr double sensor_above_ground = 1.73;  // the sensor itself is at z = 0
constexpr double longest_range = 80;
constexpr double beam_noise_m = 0.01;
constexpr double block_size = 140;  // along a street
// One box per lot, one in five of them large, so that every seed's sweep sees about as much.
constexpr std::uint32_t lots_along = 12, lots_across = 10, one_large_in = 5;
constexpr double small_box_low = 1.5, small_box_high = 4.5, small_box_highest = 2.5;
constexpr double large_box_low = 8, large_box_high = 20, large_box_height = 8;
constexpr double small_box_clear = 3, large_box_clear = 12;  // least distance from the sensor's path
constexpr double pose_step = 5;

/// A box that stands on the ground.
struct building {
  double x_low, x_high, y_low, y_high, top;
};

/// Block `block` of a street along x, around (middle, 0).
std::vector<building> block_of_street(std::int64_t block, double middle, std::uint64_t seed) {
  random_stream random(splitmix(seed) + static_cast<std::uint64_t>(block), "lidar street");
  const auto side = [&](bool large) {
    return large ? random.uniform(large_box_low, large_box_high)
                 : random.uniform(small_box_low, small_box_high);
  };
  std::vector<building> buildings;
  std::uint32_t large_one = 0;
  for (std::uint32_t lot = 0; lot < lots_along * lots_across; ++lot) {
    if (lot % one_large_in == 0) large_one = lot + random.below(one_large_in);
    const bool large = lot == large_one;
    const double height = large ? large_box_height : random.uniform(small_box_low, small_box_highest);
    const double clear = large ? large_box_clear : small_box_clear;
    const double length = side(large), width = side(large);
    const double x = middle + ((lot / lots_across + random.uniform()) / lots_along - 0.5) * block_size;
    double y = ((lot % lots_across + random.uniform()) / lots_across - 0.5) * block_size;
    while (std::abs(y) < clear + width / 2) y = (random.uniform() - 0.5) * block_size;
    buildings.push_back(
        {x - length / 2, x + length / 2, y - width / 2, y + width / 2, height - sensor_above_ground});
  }
  return buildings;
}

/// A vertical plane's cut through a building, as seen from the sensor: its near and far walls.
struct cut {
  double near, far, top;
};

/// The cuts of the plane in one direction, unordered.
void cut_buildings(const std::vector<building>& buildings, double x, const sine_cosine& direction,
                   std::vector<cut>& cuts) {
  cuts.clear();
  const double per_x = 1 / direction.cosine, per_y = 1 / direction.sine;
  for (const building& b : buildings) {
    const auto [x_near, x_far] = std::minmax({(b.x_low - x) * per_x, (b.x_high - x) * per_x});
    const auto [y_near, y_far] = std::minmax({b.y_low * per_y, b.y_high * per_y});
    const double near = std::max(x_near, y_near), far = std::min(x_far, y_far);
    if (near < far && near > 0 && near < longest_range) cuts.push_back({near, far, b.top});
  }
}

/// Horizontal distance to a ray's first hit; infinite if there is none.
double distance_along(const std::vector<cut>& cuts, double slope) {
  double distance = slope < 0 ? sensor_above_ground / -slope : std::numeric_limits<double>::infinity();
  for (const cut& c : cuts) {
    if (c.near >= distance) continue;
    if (c.near * slope < c.top)
      distance = c.near;
    else if (c.far * slope < c.top)
      distance = std::min(distance, c.top / slope);
  }
  return distance;
}

/// One revolution of the sensor at (x, 0, 0), all beams of one azimuth before the next.
void sweep(const std::vector<building>& buildings, double x, std::int32_t batch, double cell_m,
           random_stream& random, voxel_collector& collector) {
  std::array<sine_cosine, beams> elevations;
  for (int beam = 0; beam < beams; ++beam) {
    const double degrees =
        highest_beam_degrees + (lowest_beam_degrees - highest_beam_degrees) * beam / (beams - 1);
    elevations[beam] = sine_cosine_of_turns(degrees / 360);
  }
  std::vector<cut> cuts;
  for (int azimuth = 0; azimuth < azimuths && !collector.full(); ++azimuth) {
    // Half a step off the axes, so that neither sine nor cosine is 0.
    const sine_cosine direction = sine_cosine_of_turns((azimuth + 0.5) / azimuths);
    cut_buildings(buildings, x, direction, cuts);
    for (const sine_cosine& elevation : elevations) {
      const double distance = distance_along(cuts, elevation.sine / elevation.cosine);
      if (!(distance / elevation.cosine <= longest_range)) continue;
      const double range = distance / elevation.cosine + beam_noise_m * random.normal();
      const double level = range * elevation.cosine;
      collector.add({batch, static_cast<std::int32_t>(std::floor((x + level * direction.cosine) / cell_m)),
                     static_cast<std::int32_t>(std::floor(level * direction.sine / cell_m)),
                     static_cast<std::int32_t>(std::floor(range * elevation.sine / cell_m))});
    }
  }
}

}  // namespace

voxel_scene lidar_voxels(std::int64_t voxels, double cell_m, lidar_growth growth, std::uint64_t seed) {
  random_stream random(seed, "lidar voxels");
  voxel_collector collector(voxels);
  std::int64_t sweeps = 0;
  const auto wants_more = [&] { return voxels > 0 ? !collector.full() : sweeps < 1; };
  if (growth == lidar_growth::batches) {
    for (; wants_more() && sweeps < max_batches; ++sweeps)
      sweep(block_of_street(sweeps, 0, seed), 0, static_cast<std::int32_t>(sweeps), cell_m, random,
            collector);
  } else {
    std::vector<building> buildings;
    std::int64_t middle_block = -1;
    for (; wants_more(); ++sweeps) {
      const double x = static_cast<double>(sweeps) * pose_step;
      const auto block = static_cast<std::int64_t>(std::floor(x / block_size + 0.5));
      if (block != middle_block) {
        buildings.clear();
        for (const std::int64_t near : {block - 1, block, block + 1})
          for (const building& b : block_of_street(near, static_cast<double>(near) * block_size, seed))
            buildings.push_back(b);
        middle_block = block;
      }
      sweep(buildings, x, 0, cell_m, random, collector);
    }
  }
  return {collector.take(), {{"sweeps", static_cast<double>(sweeps)}, {"cell_m", cell_m}}};
}

}  // namespace ablate
