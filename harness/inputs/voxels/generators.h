#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/inputs/files/point_records.h"
#include "harness/inputs/points/fitted_frame.h"
#include "harness/inputs/voxels/cloud.h"
#include "harness/inputs/voxels/key.h"

namespace ablate {

/// Distinct voxels in scan order, and facts about them (see voxel_cloud::facts). They depend only on the
/// generator's arguments, identical on every machine. A smaller cloud is a prefix of a larger one, except
/// where the number sets an edge (uniform, plane, oblique_plane, solid, lattice).
struct voxel_scene {
  std::vector<voxel> voxels;
  std::vector<std::pair<std::string, double>> facts;
};

/// `share` is in hundredths of a percent of the cube's cells. voxels > 0.
voxel_scene uniform_voxels(std::int64_t voxels, std::int64_t share, std::uint64_t seed);

voxel_scene plane_voxels(std::int64_t voxels);
voxel_scene oblique_plane_voxels(std::int64_t voxels);

/// A cube of every `step`-th cell; a solid block if step is 1.
voxel_scene lattice_voxels(std::int64_t voxels, std::int32_t step);

// 0 voxels: the scene's inherent number.
voxel_scene shell_voxels(std::int64_t voxels, std::uint64_t seed);
voxel_scene room_voxels(std::int64_t voxels, std::uint64_t seed);

enum class lidar_growth { batches, moved_poses };

/// May return fewer voxels than requested if all batches are full.
voxel_scene lidar_voxels(std::int64_t voxels, double cell_m, lidar_growth, std::uint64_t seed);

voxel_scene adversarial_voxels(std::int64_t voxels, std::uint64_t seed);
voxel_scene random_voxels(std::int64_t voxels, std::uint64_t seed);

/// Visits all points of a cloud, in meters.
using point_source = std::function<void(const point_visitor&)>;

/// The cells of points within these bounds; at most `voxels` of them (0 = all). If coordinates exceed a key's
/// range, the points are centered on their box, provided that brings all of them into range.
voxel_scene point_voxels(const point_source&, const point_bounds&, double cell_m, std::int64_t voxels);

/// One of voxel_scenes(), with `voxels` voxels (0 = its inherent number), or fewer if it has no more. Throws
/// input_unfit for 0 if it has no inherent size.
voxel_scene generate_voxels(const std::string& scene, std::int64_t voxels, std::uint64_t seed);

/// The scene with the request's copies, order and shift. Throws input_unfit if it has fewer voxels than the
/// request's rows need, or if the shift moves one out of a key's range.
voxel_cloud finish_voxels(voxel_scene, const voxel_request&, std::uint64_t seed);

}  // namespace ablate
