#include <array>
#include <cmath>

#include "harness/inputs/exact_math.h"
#include "harness/inputs/random.h"
#include "harness/inputs/voxels/collector.h"
#include "harness/inputs/voxels/generators.h"

namespace ablate {
namespace {

/// The smallest edge with edge^dimensions * share / 10 000 >= voxels.
std::int32_t edge_of(std::int64_t voxels, int dimensions, std::int64_t share = 10000) {
  for (std::int64_t edge = 1;; ++edge) {
    std::int64_t cells = edge * edge;
    if (dimensions == 3) cells *= edge;
    if (cells * share >= voxels * 10000) return static_cast<std::int32_t>(edge);
  }
}

/// The cells of a cube of any edge in a pseudorandom order: a Feistel network whose three parts are the
/// coordinates. Each step adds to one part a number that depends on the other two, so no two cells collide.
class cell_permutation {
 public:
  cell_permutation(std::int32_t edge, std::uint64_t seed) : edge_(static_cast<std::uint32_t>(edge)) {
    random_stream random(seed, "uniform voxels");
    for (std::uint64_t& key : keys_) key = random.next();
  }

  std::array<std::uint32_t, 3> operator()(std::uint64_t cell) const {
    std::array<std::uint32_t, 3> part;
    for (std::uint32_t& p : part) {
      p = static_cast<std::uint32_t>(cell % edge_);
      cell /= edge_;
    }
    for (std::size_t step = 0; step < keys_.size(); ++step) {
      const std::uint64_t others = std::uint64_t{part[(step + 1) % 3]} << 32 | part[(step + 2) % 3];
      const auto added =
          static_cast<std::uint32_t>((splitmix(others + keys_[step]) >> 32) * edge_ >> 32);  // below the edge
      const std::uint32_t sum = part[step % 3] + added;
      part[step % 3] = sum < edge_ ? sum : sum - edge_;
    }
    return part;
  }

 private:
  std::uint32_t edge_;
  std::array<std::uint64_t, 9> keys_;
};

/// A square around 0 in raster order, x slowest.
template <class Height>
voxel_scene square(std::int64_t voxels, Height height) {
  const std::int32_t edge = edge_of(voxels, 2);
  voxel_scene scene{std::vector<voxel>(static_cast<std::size_t>(voxels)), {{"edge", edge}}};
  for (std::int64_t i = 0; i < voxels; ++i) {
    const auto x = static_cast<std::int32_t>(i / edge) - edge / 2;
    const auto y = static_cast<std::int32_t>(i % edge) - edge / 2;
    scene.voxels[static_cast<std::size_t>(i)] = {0, x, y, height(x, y)};
  }
  return scene;
}

}  // namespace

voxel_scene uniform_voxels(std::int64_t voxels, std::int64_t share, std::uint64_t seed) {
  const std::int32_t edge = edge_of(voxels, 3, share);
  const cell_permutation cells(edge, seed);
  voxel_scene scene{std::vector<voxel>(static_cast<std::size_t>(voxels)), {{"edge", edge}}};
  for (std::size_t i = 0; i < scene.voxels.size(); ++i) {
    const auto cell = cells(i);
    const auto coordinate = [&](std::size_t axis) {
      return static_cast<std::int32_t>(cell[axis]) - edge / 2;
    };
    scene.voxels[i] = {0, coordinate(0), coordinate(1), coordinate(2)};
  }
  return scene;
}

voxel_scene plane_voxels(std::int64_t voxels) {
  return square(voxels, [](std::int32_t, std::int32_t) { return 3; });
}

voxel_scene oblique_plane_voxels(std::int64_t voxels) {
  return square(voxels, [](std::int32_t x, std::int32_t y) {
    const std::int32_t slope = -(x + 2 * y);
    return slope >= 0 ? slope / 3 : -((2 - slope) / 3);
  });
}

voxel_scene lattice_voxels(std::int64_t voxels, std::int32_t step) {
  const std::int32_t edge = edge_of(voxels, 3);
  voxel_scene scene{std::vector<voxel>(static_cast<std::size_t>(voxels)), {{"edge", edge}}};
  const auto coordinate = [&](std::int64_t place) {
    return (static_cast<std::int32_t>(place % edge) - edge / 2) * step;
  };
  for (std::int64_t i = 0; i < voxels; ++i)
    scene.voxels[static_cast<std::size_t>(i)] = {0, coordinate(i / edge / edge), coordinate(i / edge),
                                                 coordinate(i)};
  return scene;
}

voxel_scene shell_voxels(std::int64_t voxels, std::uint64_t seed) {
  // In cells. Neighboring spheres intersect, by as much as yields the known number of pairs per voxel
  // (tests).
  constexpr double radius = 60, pitch = 118, wander = 3, cube_pitch = 280;
  constexpr int samples = 60000, spheres_by_itself = 8;
  random_stream random(seed, "shells");
  voxel_collector collector(voxels);
  std::int64_t spheres = 0;
  for (; voxels > 0 ? !collector.full() : spheres < spheres_by_itself; ++spheres) {
    // Spheres at the corners of a cube, with further cubes around the first.
    std::array<double, 3> center;
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t corner = spheres >> axis & 1;
      const auto cube =
          static_cast<std::int64_t>(morton::gather(static_cast<std::uint64_t>(spheres) >> (3 + axis)));
      const std::int64_t around = cube % 2 == 0 ? -cube / 2 : (cube + 1) / 2;
      center[axis] = static_cast<double>(around) * cube_pitch + (static_cast<double>(corner) - 0.5) * pitch +
                     random.uniform(-wander, wander);
    }
    for (int i = 0; i < samples; ++i) {
      const double z = (i + random.uniform()) * (2. / samples) - 1;
      const double level_radius = std::sqrt(1 - z * z) * radius;
      const sine_cosine direction = sine_cosine_of_turns(random.uniform());
      collector.add({0, static_cast<std::int32_t>(std::floor(center[0] + level_radius * direction.cosine)),
                     static_cast<std::int32_t>(std::floor(center[1] + level_radius * direction.sine)),
                     static_cast<std::int32_t>(std::floor(center[2] + radius * z))});
    }
  }
  return {collector.take(),
          {{"spheres", static_cast<double>(spheres)}, {"samples", static_cast<double>(spheres * samples)}}};
}

}  // namespace ablate
