#include "variants/kernel_map/facts.h"

#include <algorithm>

#include "harness/inputs/clouds.h"
#include "kernels/kernel_map/coarse_cells.h"
#include "kernels/kernel_map/dispatch.h"
#include "variants/voxel_facts.h"

namespace ablate::kernel_map {
namespace {

constexpr int coarse_edge = 4;  // edge of the coarse cells in the input's facts, voxels

}  // namespace

nlohmann::ordered_json facts_of(const problem& host, const voxel_cloud& rows, std::int64_t pairs) {
  const std::int64_t step = std::clamp<std::int64_t>(host.outs / 4096, 1, 64);
  const coarse_occupancy coarse = measure_coarse_occupancy(host, coarse_edge, step);
  const small_box_losses small_box = measure_small_boxes(host, step);
  const auto of_pairs = [&](double share) {
    return small_box.pairs > 0 ? nlohmann::ordered_json(share) : nlohmann::ordered_json();
  };
  nlohmann::ordered_json facts = {
      {"hash", hash_hex(rows.coords.data(), rows.coords.size() * sizeof(std::int32_t))},
      {"points", host.rows},
      {"outs", host.outs},
      {"offsets", host.offsets()},
      {"pairs", pairs},
      {"pairs_per_query", host.outs > 0 ? static_cast<double>(pairs) / static_cast<double>(host.outs) : 0.0},
      {"slots", host.slots},
      {"load", static_cast<double>(host.rows) / static_cast<double>(host.slots)},
      {"coarse_edge", coarse_edge},
      {"coarse_cells_per_row", coarse.cells_per_row},
      {"coarse_cells_around", coarse.box_cells},
      {"coarse_cells_occupied", coarse.occupied_cells},
      {"survivor_share", coarse.survivor_share},
      {"pairs_outside_fixed_box_share", of_pairs(small_box.outside_fixed_box_share)},
      {"pairs_outside_own_box_share", of_pairs(small_box.outside_own_box_share)},
      {"queries_beyond_own_box_share", of_pairs(small_box.queries_beyond_own_box_share)}};
  add_facts_of(rows, facts);
  if (host.first == phase::coarse && host.last == phase::map)
    facts["dispatch"] = {
        {"published", published_choice(host)},
        {"measured", measured_choice(host, coarse.cells_per_row * static_cast<double>(host.rows))}};
  return facts;
}

}  // namespace ablate::kernel_map
