#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "harness/inputs/input_library.h"
#include "harness/registry/axis.h"
#include "variants/half_coordinates.h"

namespace ablate::pool {

constexpr float cell_edge_m = 0.05f;  ///< of the voxels, and of a grid that is not fitted

/// A batch of clouds, instance after instance, each in its own order.
struct scene {
  std::vector<float> xyz;           ///< [points][3], meters
  std::vector<std::uint32_t> ends;  ///< of each instance, cumulative
  /// Of each instance, the least coordinates of all of its points, kept or not: its cells begin there.
  std::vector<std::array<float, 3>> least;
  nlohmann::ordered_json facts;  ///< of the cloud, for the record

  std::int64_t points() const { return static_cast<std::int64_t>(xyz.size() / 3); }
};

/// The points at these axes: all of them, or the first of each cell of 5 cm. Throws as batch_of does.
scene scene_at(const axis_values&, const input_library&);

/// A scene's grid. With equal=ratio its cells have the edge at which the coarser grid leaves about one of
/// `ratio` points, found by bisection; the coarser one then has cells of twice that edge.
struct scene_grid {
  std::vector<std::int32_t> cells;  ///< [points][3]
  float edge_m = cell_edge_m;
  int shift = 1;              ///< halvings to the coarser grid
  int depth = 1;              ///< bits of a cell's coordinate, at least `shift`
  std::int64_t clusters = 0;  ///< cells of the coarser grid with points, by instance
};
scene_grid grid_of(const scene&, const axis_values&);

/// The scene's points as fp16 in bucket order: cut by z key, hashed by xor into buckets of 512, or along a
/// Hilbert curve through cells of 5 cm. Throws as halves_of does.
half_coordinates bucket_order(const scene&, const axis_values&, const input_library&);

/// What a problem needs to know of its scene; kept for generated clouds, which are the same each time.
struct scene_facts {
  std::int64_t points = 0, largest = 0, clusters_in_buckets = 0;
  int shift = 1, depth = 1;
  std::int64_t clusters_of_grid = 0;
  float edge_m = cell_edge_m;
};
scene_facts facts_at(const axis_values&, const input_library&);

}  // namespace ablate::pool
