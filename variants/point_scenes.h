#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/inputs/points/turned_copies.h"
#include "harness/registry/operation.h"
#include "kernels/common/point_grid.h"
#include "variants/cloud_axes.h"
#include "variants/clouds_in_grid.h"

/// Shared by the operations on points in a grid of cells: axes that select points and grid, and the points
/// themselves.
namespace ablate {

/// Which points, and how many cells there are.
inline std::vector<axis> cloud_axes() {
  return {points_axis(1 << 24, 131072, "points of a cloud"),
          axis::of_integers("batch", 1, 65535, 1, "clouds, each with a grid of its own"),
          axis::of_integers("grid", 1, 1290, 128, "cells along each edge of the grid"),
          distribution_axis("uniform")};
}

/// Concatenates the axes of all parts.
inline std::vector<axis> joined(std::initializer_list<std::vector<axis>> parts) {
  std::vector<axis> all;
  for (const std::vector<axis>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// `before`, then the clouds' axes, frame and order, then `behind`.
inline std::vector<axis> scene_axes_between(const std::vector<axis>& before,
                                            const std::vector<axis>& behind) {
  return joined(
      {before,
       cloud_axes(),
       {axis::of_words("frame", {"unit", "robot", "vehicle", "fitted"},
                       "box of the grid: cube of 1 m, cube of 1.28 m, 102.4 x 102.4 x 8 m around a LiDAR, or "
                       "the cube around the box of a point file's points"),
        axis::of_words(
            "order", {"natural", "azimuth", "shuffled", "morton"},
            "of the points: as generated or scanned, azimuth-major, random, along a Morton curve")},
       behind});
}

/// The grid's box, and the box in which shapes and noise are generated.
struct scene_frame {
  box grid, points;
};

// `fitted` follows the points, whatever their unit and position; `vehicle` is the view of a roof LiDAR;
// `robot` is a workspace whose cell size is not a power of two (0.02 m at 64³); `corner` is what the
// voxelization study timed: the same workspace in a corner of the points' 2 m cube, 26 % of its volume.
inline scene_frame frame_at(const axis_values& at, const input_library& inputs) {
  const std::string& word = at.word("frame");
  if (word == "fitted") {
    const box cube = inputs.frame_of_file(at.word("distribution"), at.integer("points")).cube;
    return {cube, cube};
  }
  if (word == "corner") return {{{-1, -1, -1}, {1.28f, 1.28f, 1.28f}}, {{-1, -1, -1}, {2, 2, 2}}};
  const float edge = word == "robot" ? 1.28f : 1.0f;
  const box all = word == "vehicle" ? box{{-51.2f, -51.2f, -4.0f}, {102.4f, 102.4f, 8.0f}}
                                    : box{{0, 0, 0}, {edge, edge, edge}};
  return {all, all};
}

inline cloud_origin origin_at(const axis_values& at) {
  return at.word("frame") == "fitted" ? cloud_origin::middle : cloud_origin::stored;
}

/// Everything except the points' address.
inline point_grid grid_at(const axis_values& at, const input_library& inputs) {
  point_grid g;
  g.batch = static_cast<int>(at.integer("batch"));
  g.points_per_cloud = inputs.point_count(at.word("distribution"), at.integer("points"));
  const box domain = frame_at(at, inputs).grid;
  const int cells = static_cast<int>(at.integer("grid"));
  for (int axis = 0; axis < 3; ++axis) {
    g.origin[axis] = domain.origin[axis];
    g.voxel[axis] = domain.size[axis] / static_cast<float>(cells);
    g.cells[axis] = cells;
  }
  return g;
}

/// One cloud of the inputs, `xyz` followed by rotated copies of it; in the frame `corner`, consecutive parts
/// of one larger cloud. The caller sorts points in the order `linear`.
inline point_cloud clouds_at(const axis_values& at, const input_library& inputs) {
  const std::int64_t batch = at.integer("batch");
  const box domain = frame_at(at, inputs).points;
  const bool one_after_the_other = at.word("frame") == "corner";
  point_cloud cloud =
      inputs.cloud({.distribution = at.word("distribution"),
                    .order = at.word("order") == "linear" ? "natural" : at.word("order"),
                    .points = one_after_the_other ? batch * at.integer("points") : at.integer("points"),
                    .domain = domain,
                    .origin = origin_at(at)});
  if (!one_after_the_other)
    cloud.xyz =
        turned_copies(cloud.xyz, static_cast<int>(batch),
                      {domain.origin[0] + domain.size[0] / 2.0, domain.origin[1] + domain.size[1] / 2.0});
  return cloud;
}

/// Points inside the grid, of each cloud, by each point's cell or −1.
inline std::vector<std::int64_t> valid_of(const point_grid& g, std::span<const std::int64_t> cells) {
  std::vector<std::int64_t> valid(static_cast<std::size_t>(g.batch));
  for (std::size_t i = 0; i < cells.size(); ++i)
    valid[i / static_cast<std::size_t>(g.points_per_cloud)] += cells[i] >= 0;
  return valid;
}

struct scene_points {
  std::vector<float> xyz;           ///< of all clouds
  std::vector<std::int64_t> cells;  ///< each point's cell among the cells of all clouds, or −1
  nlohmann::ordered_json facts;     ///< hash, and those of add_facts_in_grid
  std::int64_t valid = 0;           ///< points inside the grids
};

/// Throws as add_facts_in_grid does.
inline scene_points points_at(const point_grid& g, const axis_values& at, const input_library& inputs) {
  point_cloud clouds = clouds_at(at, inputs);
  scene_points scene;
  for (std::int64_t i = 0; i < g.all_points(); ++i)
    scene.cells.push_back(cell_in_batch(g, clouds.xyz.data(), i));
  const std::vector<std::int64_t> valid = valid_of(g, scene.cells);
  scene.valid = std::accumulate(valid.begin(), valid.end(), std::int64_t{0});
  scene.facts = {{"hash", hash_hex(clouds.xyz.data(), sizeof(float) * clouds.xyz.size())}};
  add_facts_in_grid({clouds, valid, frame_at(at, inputs).grid}, at, inputs, scene.facts);
  scene.xyz = std::move(clouds.xyz);
  return scene;
}

/// Why the cloud is not made for the frame, if it is not.
inline std::optional<std::string> refuses_frame(const axis_values& at) {
  const std::string &distribution = at.word("distribution"), &frame = at.word("frame");
  const bool is_file = is_point_file(at);
  if (frame == "fitted" && !is_file)
    return "frame=fitted is for point files only: generated clouds are made for the other frames";
  if (is_file && frame != "vehicle" && frame != "fitted")
    return "scans are in meters around the sensor: they need frame=vehicle, or frame=fitted";
  if (distribution == "lidar" && frame != "vehicle")
    return "scans are in meters around the sensor: distribution=lidar needs frame=vehicle";
  return std::nullopt;
}

inline std::optional<std::string> refuses_scene(const axis_values& at) {
  if (auto reason = refuses_frame(at)) return reason;
  if (at.word("order") == "azimuth" && at.word("distribution") != "lidar")
    return "order=azimuth is for distribution=lidar only";
  return refuses_all_points(at);
}

/// Why the cells of all clouds exceed 32-bit indices, if they do.
inline std::optional<std::string> refuses_wide_batch(const axis_values& at) {
  const std::int64_t grid = at.integer("grid");
  if (at.integer("batch") * grid * grid * grid < std::int64_t{1} << 31) return std::nullopt;
  return "the cells of all clouds must be below 2^31";
}

}  // namespace ablate
