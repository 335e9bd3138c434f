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

/// Distinct voxels in scan order and what they are made of, see voxel_cloud::facts. Functions of their
/// arguments alone, the same on every machine. A cloud of fewer voxels is the beginning of one of more,
/// except where the number sets an edge (uniform, plane, oblique_plane, solid, lattice).
struct voxel_scene {
  std::vector<voxel> voxels;
  std::vector<std::pair<std::string, double>> facts;
};

/// Shares in hundredths of a percent of the cube's cells. voxels > 0.
voxel_scene uniform_voxels(std::int64_t voxels, std::int64_t share, std::uint64_t seed);

voxel_scene plane_voxels(std::int64_t voxels);
voxel_scene oblique_plane_voxels(std::int64_t voxels);

/// A cube of every `step`-th cell: a solid block with step 1.
voxel_scene lattice_voxels(std::int64_t voxels, std::int32_t step);

// 0 voxels: as many as the scene has by itself.
voxel_scene shell_voxels(std::int64_t voxels, std::uint64_t seed);
voxel_scene room_voxels(std::int64_t voxels, std::uint64_t seed);

enum class lidar_growth { batches, moved_poses };

/// May give fewer voxels than wanted, where all batches are full.
voxel_scene lidar_voxels(std::int64_t voxels, double cell_m, lidar_growth, std::uint64_t seed);

voxel_scene adversarial_voxels(std::int64_t voxels, std::uint64_t seed);
voxel_scene random_voxels(std::int64_t voxels, std::uint64_t seed);

/// Visits all points of a cloud, in meters.
using point_source = std::function<void(const point_visitor&)>;

/// The cells of points within these bounds; at most `voxels` of them (0 = all). Points whose coordinates are
/// out of a key's range are counted from the middle of their box where that brings all of them into it.
voxel_scene point_voxels(const point_source&, const point_bounds&, double cell_m, std::int64_t voxels);

/// One of voxel_scenes(), with `voxels` of its voxels (0 = as many as it has by itself) or, where there are
/// no more, fewer. Throws input_unfit where it has no size by itself.
voxel_scene generate_voxels(const std::string& scene, std::int64_t voxels, std::uint64_t seed);

/// The scene with the request's copies, order and shift. Throws input_unfit where it has fewer voxels than
/// the request's rows need, and where the shift takes one out of a key's range.
voxel_cloud finish_voxels(voxel_scene, const voxel_request&, std::uint64_t seed);

}  // namespace ablate
