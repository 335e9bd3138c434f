#include "harness/inputs/voxels/cloud.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/inputs/input_errors.h"
#include "harness/inputs/voxels/generators.h"
#include "harness/inputs/voxels/order.h"

namespace ablate {
namespace {

struct scene_facts {
  std::string word;
  std::int64_t
      own_voxels;  ///< if no number is requested: 0 = the generator decides, none = it has no inherent size
  voxel_scene (*generate)(std::int64_t voxels, std::uint64_t seed);
};
constexpr std::int64_t none = -1;

// Keys cannot be shifted: they would lose the property they were chosen for.
bool is_made_of_keys(const std::string& scene) { return scene == "adversarial" || scene == "random"; }

const std::vector<scene_facts>& scenes() {
  using count = std::int64_t;
  using seed = std::uint64_t;
  static const std::vector<scene_facts> all = {
      {"uniform_0.1", none, [](count n, seed s) { return uniform_voxels(n, 10, s); }},
      {"uniform_0.26", none, [](count n, seed s) { return uniform_voxels(n, 26, s); }},
      {"uniform_1", none, [](count n, seed s) { return uniform_voxels(n, 100, s); }},
      {"uniform_5", none, [](count n, seed s) { return uniform_voxels(n, 500, s); }},
      {"plane", 512 * 512, [](count n, seed) { return plane_voxels(n); }},
      {"oblique_plane", 512 * 512, [](count n, seed) { return oblique_plane_voxels(n); }},
      {"shells", 0, [](count n, seed s) { return shell_voxels(n, s); }},
      {"room", 0, [](count n, seed s) { return room_voxels(n, s); }},
      {"lidar_10cm", 0, [](count n, seed s) { return lidar_voxels(n, 0.1, lidar_growth::batches, s); }},
      {"lidar_5cm", 0, [](count n, seed s) { return lidar_voxels(n, 0.05, lidar_growth::batches, s); }},
      {"lidar_10cm_moved", 0,
       [](count n, seed s) { return lidar_voxels(n, 0.1, lidar_growth::moved_poses, s); }},
      {"lidar_5cm_moved", 0,
       [](count n, seed s) { return lidar_voxels(n, 0.05, lidar_growth::moved_poses, s); }},
      {"solid", 64 * 64 * 64, [](count n, seed) { return lattice_voxels(n, 1); }},
      {"lattice_4", none, [](count n, seed) { return lattice_voxels(n, 4); }},
      {"lattice_16", none, [](count n, seed) { return lattice_voxels(n, 16); }},
      {"lattice_256", none, [](count n, seed) { return lattice_voxels(n, 256); }},
      {"adversarial", none, adversarial_voxels},
      {"random", none, random_voxels},
  };
  return all;
}

/// Shifts every voxel; throws input_unfit if one leaves the range.
void shift_voxels(std::vector<voxel>& voxels, const voxel_request& request) {
  const auto& shift = request.shift;
  if (shift == std::array{0, 0, 0}) return;
  const std::string file = fmt::format("scene '{}'", request.scene);
  const std::string place = fmt::format("shift ({}, {}, {})", shift[0], shift[1], shift[2]);
  if (is_made_of_keys(request.scene))
    throw input_unfit(file, place, "expected none, the scene fills the range");
  constexpr std::int32_t farthest = highest_coordinate - lowest_coordinate;
  for (const std::int32_t step : shift)
    if (!(step >= -farthest && step <= farthest))
      throw input_unfit(file, place, fmt::format("expected -{} to {} on each axis", farthest, farthest));
  for (voxel& v : voxels) {
    v = {v.batch, v.x + shift[0], v.y + shift[1], v.z + shift[2]};
    if (!fits_a_key(v))
      throw input_unfit(file, place,
                        fmt::format("expected one that keeps every coordinate in {} to {}", lowest_coordinate,
                                    highest_coordinate));
  }
}

void measure(const std::vector<voxel>& voxels, voxel_cloud& cloud) {
  cloud.distinct = static_cast<std::int64_t>(voxels.size());
  if (voxels.empty()) return;
  const voxel& first = voxels.front();
  cloud.low = cloud.high = {first.batch, first.x, first.y, first.z};
  for (const voxel& v : voxels) {
    const std::array row = {v.batch, v.x, v.y, v.z};
    for (std::size_t i = 0; i < row.size(); ++i) {
      cloud.low[i] = std::min(cloud.low[i], row[i]);
      cloud.high[i] = std::max(cloud.high[i], row[i]);
    }
  }
  double cells = 1;
  for (std::size_t i = 0; i < cloud.low.size(); ++i)
    cells *= static_cast<double>(cloud.high[i] - cloud.low[i]) + 1;
  cloud.density = static_cast<double>(cloud.distinct) / cells;
}

}  // namespace

const std::vector<std::string>& voxel_scenes() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all;
    for (const scene_facts& scene : scenes()) all.push_back(scene.word);
    return all;
  }();
  return words;
}

voxel_scene generate_voxels(const std::string& scene, std::int64_t voxels, std::uint64_t seed) {
  const auto found =
      std::find_if(scenes().begin(), scenes().end(), [&](const auto& s) { return s.word == scene; });
  if (voxels == 0 && found->own_voxels == none)
    throw input_unfit(fmt::format("scene '{}'", scene), "0 rows",
                      "expected a number of rows, the scene has none by itself");
  return found->generate(voxels == 0 ? found->own_voxels : voxels, seed);
}

voxel_cloud finish_voxels(voxel_scene scene, const voxel_request& request, std::uint64_t seed) {
  const auto voxels = static_cast<std::int64_t>(scene.voxels.size());
  const std::int64_t rows = request.rows > 0 ? request.rows : voxels * request.multiplicity;
  const std::int64_t max_rows = std::min(voxels * request.multiplicity, max_voxel_rows);
  if (rows > max_rows)
    throw input_unfit(fmt::format("scene '{}'", request.scene), fmt::format("{} rows", rows),
                      fmt::format("expected at most {}", max_rows));

  shift_voxels(scene.voxels, request);
  voxel_cloud cloud;
  cloud.facts = std::move(scene.facts);
  measure(scene.voxels, cloud);
  if (request.order == "morton") sort_by_morton_code(scene.voxels);
  if (request.multiplicity > 1) scene.voxels = repeat_rows(scene.voxels, request.multiplicity, rows);
  if (request.order == "shuffled") shuffle_rows(scene.voxels, seed);
  cloud.coords.resize(scene.voxels.size() * 4);
  static_assert(sizeof(voxel) == 4 * sizeof(std::int32_t));
  if (!scene.voxels.empty())
    std::memcpy(cloud.coords.data(), scene.voxels.data(), scene.voxels.size() * sizeof(voxel));
  return cloud;
}

}  // namespace ablate
