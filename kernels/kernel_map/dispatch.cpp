#include "kernels/kernel_map/dispatch.h"

#include <algorithm>
#include <array>

#include "kernels/hash_table/cost.h"
#include "kernels/kernel_map/coarse_cells.h"

namespace ablate::kernel_map {
namespace {

constexpr int edge = 4, voxels_of_cell = edge * edge * edge, most_cells_around = 27;
constexpr int published_offsets = 125;

bool is_odd(const problem& p) {
  return std::all_of(p.kernel.begin(), p.kernel.end(), [](int size) { return size % 2 == 1; });
}

bool is_dilated(const problem& p) { return p.dilation != std::array<int, 3>{1, 1, 1}; }

bool takes_cells(const problem& p) {
  return !is_dilated(p) && p.offsets() > 1 && !p.first_half && cells_around(p, edge) <= most_cells_around;
}

// Microseconds, fitted to the committed record of an H200 (results/h200/kernel_map): launches and whatever
// does not grow with the map, then for each thing counted.
constexpr double flat_fixed = 25, probe = 7.8e-6, listed_pair = 8e-6;
constexpr double hierarchy_fixed = 40, row_of_hierarchy = 110e-6, part_for_every_offset = 0.75;
constexpr double cells_fixed = 90, row_of_cells = 90e-6, cell_offset = 20e-6, pair_of_cells = 30e-6;

}  // namespace

std::string published_choice(const problem& p) {
  const bool is_large = p.offsets() >= published_offsets && is_odd(p);
  return is_large && takes_cells(p) ? "hierarchical" : "flat";
}

std::vector<estimated_time> estimated_times(const problem& p, const cell_density& density) {
  const auto rows = static_cast<double>(p.rows), outs = static_cast<double>(p.outs);
  const double entries = outs * p.lists(), found_cells = std::max(density.cells, 1.0);
  // Voxels of an occupied cell are taken as likely as on the average over such cells.
  const double pairs = entries * density.survivor_share * rows / (found_cells * voxels_of_cell);
  const double load = rows / static_cast<double>(p.slots);
  const double search = probe * hash_table::expected_linear(load).miss * entries,
               listing = listed_pair * pairs;
  const bool makes_all_lists = p.wanted == output::lists && !p.first_half;
  std::vector<estimated_time> times = {{"flat", flat_fixed + search + listing}};
  if (p.same && is_odd(p) && p.offsets() > 1 && makes_all_lists)
    times.push_back({"flat_exchanged", flat_fixed + search / 2 + listing});
  if (!takes_cells(p)) return times;
  const double searched = part_for_every_offset + (1 - part_for_every_offset) * density.survivor_share;
  times.push_back({"hierarchical", hierarchy_fixed + row_of_hierarchy * outs + searched * times.front().us});
  if (p.same && makes_all_lists)
    times.push_back({"cells", cells_fixed + row_of_cells * rows + cell_offset * found_cells * p.offsets() +
                                  pair_of_cells * pairs});
  return times;
}

std::string measured_choice(const problem& p, const cell_density& density) {
  const std::vector<estimated_time> times = estimated_times(p, density);
  return std::min_element(times.begin(), times.end(),
                          [](const auto& a, const auto& b) { return a.us < b.us; })
      ->variant;
}

bool depends_on_density(const problem& p) {
  // Full cells of which no out row meets one: more cells or more pairs cost a variant with cells more.
  const cell_density cheapest = {static_cast<double>(p.rows) / voxels_of_cell, 0};
  return !measured_choice(p, cheapest).starts_with("flat");
}

}  // namespace ablate::kernel_map
