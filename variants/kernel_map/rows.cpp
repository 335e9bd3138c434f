#include "variants/kernel_map/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "harness/inputs/clouds.h"
#include "harness/inputs/voxels/collector.h"
#include "harness/inputs/voxels/generators.h"
#include "kernels/kernel_map/coarse_cells.h"
#include "variants/hash_table.h"

namespace ablate::kernel_map {
namespace {

voxel_request request_at(const axis_values& at) {
  const auto shift = static_cast<std::int32_t>(at.integer("shift"));
  voxel_request request{.scene = at.word("scene"),
                        .rows = at.integer("rows"),
                        .order = at.word("order"),
                        .shift = {shift % 8, shift / 8 % 8, shift / 64}};
  const auto& generated = voxel_scenes();
  const bool is_point_file = request.scene != "faces" &&
                             std::find(generated.begin(), generated.end(), request.scene) == generated.end();
  if (is_point_file) request.scene += fmt::format("_{}cm", at.integer("cell_cm"));
  return request;
}

}  // namespace

voxel_cloud in_rows_at(const axis_values& at, const input_library& inputs) {
  if (at.word("scene") == "empty") return {};
  const voxel_request request = request_at(at);
  if (request.scene == "faces")
    return finish_voxels(hash_table::face_voxels(request.rows), request, inputs.seed());
  return inputs.voxels(request);
}

std::int64_t rows_at(const axis_values& at, const input_library& inputs) {
  const std::string& scene = at.word("scene");
  if (scene == "empty" || scene == "faces") return at.integer("rows");
  return inputs.voxel_row_count(request_at(at));
}

std::vector<voxel> out_rows_of(const std::vector<std::int32_t>& coordinates, int stride) {
  voxel_collector cells(0);
  for (std::size_t i = 0; i < coordinates.size(); i += 4)
    cells.add({coordinates[i], floor_divide(coordinates[i + 1], stride),
               floor_divide(coordinates[i + 2], stride), floor_divide(coordinates[i + 3], stride)});
  return cells.take();
}

std::int64_t out_rows_at(const axis_values& at, const input_library& inputs) {
  const auto count = [&] {
    return static_cast<std::int64_t>(
        out_rows_of(in_rows_at(at, inputs).coords, static_cast<int>(at.integer("stride"))).size());
  };
  if (inputs.point_files().contains(at.word("scene"))) return count();
  static std::mutex mutex;
  static std::map<std::tuple<std::uint64_t, std::string, long, long, long>, std::int64_t> counted;
  const std::scoped_lock lock(mutex);
  const std::tuple scene(inputs.seed(), at.word("scene"), at.integer("rows"), at.integer("shift"),
                         at.integer("stride"));
  const auto known = counted.find(scene);
  return known != counted.end() ? known->second : counted.emplace(scene, count()).first->second;
}

}  // namespace ablate::kernel_map
