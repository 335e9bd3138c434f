#include "variants/backbone/voxels.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "harness/inputs/input_errors.h"
#include "harness/inputs/random_floats.h"
#include "kernels/common/bf16.h"
#include "kernels/serialize/serialize.h"
#include "oracles/backbone/counted_levels.h"
#include "variants/cloud_axes.h"
#include "variants/cloud_batch.h"
#include "variants/pool/scene.h"

namespace ablate::backbone {
namespace {

constexpr std::int32_t max_cells = std::int32_t{1} << serialize::max_depth;

std::vector<std::int32_t> cells_of(const pool::scene& s, const axis_values& at) {
  std::vector<std::int32_t> all;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < s.ends.size(); begin = s.ends[k++]) {
    const auto points = std::span(s.xyz).subspan(3 * begin, 3 * (s.ends[k] - begin));
    const std::vector<std::int32_t> cells = grid_cells(points, s.least[k], pool::cell_edge_m, max_cells, at);
    all.insert(all.end(), cells.begin(), cells.end());
  }
  return all;
}

grid_levels count_levels(const axis_values& at, const input_library& inputs) {
  const pool::scene s = pool::scene_at(at, inputs);
  return grid_levels_of(cells_of(s, at), s.ends, level_count);
}

grid_levels known_levels(const axis_values& at, const input_library& inputs) {
  if (is_point_file(at)) return count_levels(at, inputs);
  static std::mutex mutex;
  static std::map<std::pair<std::uint64_t, std::string>, grid_levels> found;
  std::string key;
  for (const char* name : {"distribution", "points", "batch", "sizes", "points_as"})
    key += at.word(name) + "/";
  const std::scoped_lock lock(mutex);
  const auto [known, is_new] = found.try_emplace({inputs.seed(), key});
  if (is_new) known->second = count_levels(at, inputs);
  return known->second;
}

}  // namespace

voxel_scene voxels_at(const axis_values& at, const input_library& inputs) {
  const pool::scene s = pool::scene_at(at, inputs);
  voxel_scene voxels;
  voxels.cells = cells_of(s, at);
  while (voxels.cells.size() / 3 % 4 != 0) voxels.cells.push_back(0);
  voxels.positions = s.xyz;
  voxels.facts = s.facts;
  const std::vector<float> reflectance = random_floats(s.points(), inputs.seed(), "reflectance");
  for (std::size_t i = 0; i < reflectance.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      voxels.features.push_back(bf16_of_float(s.xyz[3 * i + axis]));
    voxels.features.push_back(bf16_of_float((1 + reflectance[i]) / 2));
  }
  return voxels;
}

grid_levels grid_levels_at(const axis_values& at, const input_library& inputs, bool gathered) {
  grid_levels grid = known_levels(at, inputs);
  if (grid.of.front().ends.back() == 0)
    throw input_unfit(fmt::format("distribution '{}'", at.word("distribution")), "no voxels",
                      "expected at least a window of them");
  const int window = static_cast<int>(at.integer("window"));
  for (std::size_t l = 0; gathered && l < grid.of.size(); ++l)
    if (const std::int64_t fewest = rows_below_window(grid.of[l], window); fewest > 0)
      throw input_unfit(fmt::format("distribution '{}'", at.word("distribution")),
                        fmt::format("level {}: an instance of {} rows", l + 1, fewest),
                        fmt::format("expected at least a window of {}", window));
  return grid;
}

}  // namespace ablate::backbone
