#include <algorithm>
#include <array>
#include <cmath>

#include "harness/inputs/exact_math.h"
#include "harness/inputs/random.h"
#include "harness/inputs/voxels/collector.h"
#include "harness/inputs/voxels/generators.h"

namespace ablate {
namespace {

// Meters.
constexpr double cell = 0.02;
constexpr std::array<double, 3> room_size = {8, 6, 3};
constexpr double wall_thickness = 0.4;  // between neighboring rooms
constexpr int boxes = 18;
constexpr std::array<double, 3> smallest_box = {0.4, 0.4, 0.4}, largest_box = {1.8, 1.4, 1.8};
constexpr int samples_per_room = 1500000;
constexpr double noise = 0.003;  // standard deviation, across the surface
constexpr double turn = 0.3 / 6.283185307179586;
constexpr double slab = 0.25;  // step of the scan along x

/// A rectangle perpendicular to one axis, along which low equals high.
struct rectangle {
  std::array<double, 3> low, high;
  int normal;

  double area() const {
    double product = 1;
    for (int axis = 0; axis < 3; ++axis)
      if (axis != normal) product *= high[axis] - low[axis];
    return product;
  }
};

void add_faces(std::vector<rectangle>& surfaces, const std::array<double, 3>& low,
               const std::array<double, 3>& high) {
  for (int normal = 0; normal < 3; ++normal)
    for (const auto& side : {low, high}) {
      rectangle face{low, high, normal};
      face.low[normal] = face.high[normal] = side[normal];
      surfaces.push_back(face);
    }
}

/// A room centered on (0, 0) with its floor at z = 0.
std::vector<rectangle> furnished_room(random_stream& random) {
  const std::array<double, 3> corner = {-room_size[0] / 2, -room_size[1] / 2, 0};
  std::vector<rectangle> surfaces;
  add_faces(surfaces, corner, {corner[0] + room_size[0], corner[1] + room_size[1], room_size[2]});
  for (int i = 0; i < boxes; ++i) {
    std::array<double, 3> low, high;
    for (int axis = 0; axis < 3; ++axis) {
      const double size = random.uniform(smallest_box[axis], largest_box[axis]);
      low[axis] = axis == 2 ? 0 : corner[axis] + random.uniform(0, room_size[axis] - size);
      high[axis] = low[axis] + size;
    }
    add_faces(surfaces, low, high);
  }
  return surfaces;
}

/// Samples a room in proportion to area, slab by slab along x.
void scan_room(const std::vector<rectangle>& surfaces, const std::array<double, 2>& middle,
               random_stream& random, voxel_collector& collector) {
  constexpr sine_cosine rotation = sine_cosine_of_turns(turn);
  double area = 0;
  for (const rectangle& surface : surfaces) area += surface.area();
  double due = 0;  // samples
  const auto slabs = static_cast<int>(room_size[0] / slab);
  for (int i = 0; i < slabs; ++i) {
    const double begin = i * slab - room_size[0] / 2, end = begin + slab;
    for (rectangle piece : surfaces) {
      if (collector.full()) return;
      if (piece.normal == 0) {
        const bool inside = piece.low[0] >= begin && (piece.low[0] < end || i == slabs - 1);
        if (!inside) continue;
      } else {
        piece.low[0] = std::max(piece.low[0], begin);
        piece.high[0] = std::min(piece.high[0], end);
        if (piece.low[0] >= piece.high[0]) continue;
      }
      for (due += piece.area() / area * samples_per_room; due >= 1; due -= 1) {
        std::array<double, 3> point;
        for (int axis = 0; axis < 3; ++axis)
          point[axis] = axis == piece.normal ? piece.low[axis] + noise * random.normal()
                                             : random.uniform(piece.low[axis], piece.high[axis]);
        const double x = middle[0] + point[0], y = middle[1] + point[1];
        collector.add(
            {0, static_cast<std::int32_t>(std::floor((rotation.cosine * x - rotation.sine * y) / cell)),
             static_cast<std::int32_t>(std::floor((rotation.sine * x + rotation.cosine * y) / cell)),
             static_cast<std::int32_t>(std::floor(point[2] / cell))});
      }
    }
  }
}

}  // namespace

voxel_scene room_voxels(std::int64_t voxels, std::uint64_t seed) {
  random_stream random(seed, "rooms");
  voxel_collector collector(voxels);
  std::int64_t rooms = 0;
  for (; voxels > 0 ? !collector.full() : rooms < 1; ++rooms) {
    // The first room is in the middle; any number of further rooms surround it.
    std::array<double, 2> middle;
    for (int axis = 0; axis < 2; ++axis) {
      std::int64_t place = 0;  // every second bit
      for (int bit = 0; bit < 16; ++bit) place |= (rooms >> (2 * bit + axis) & 1) << bit;
      const std::int64_t around = place % 2 == 0 ? -place / 2 : (place + 1) / 2;
      middle[axis] = static_cast<double>(around) * (room_size[axis] + wall_thickness);
    }
    scan_room(furnished_room(random), middle, random, collector);
  }
  return {collector.take(), {{"rooms", static_cast<double>(rooms)}, {"cell_m", cell}}};
}

}  // namespace ablate
