#include "kernels/kernel_map/dispatch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>
#include <utility>

#include "kernels/hash_table/cost.h"
#include "kernels/kernel_map/coarse_cells.h"
#include "kernels/kernel_map/dispatch_costs.h"

namespace ablate::kernel_map {
namespace {

constexpr int edge = 4, voxels_of_cell = edge * edge * edge, max_cells_around = 27;
constexpr int published_offsets = 125;

bool is_odd(const problem& p) {
  return std::all_of(p.kernel.begin(), p.kernel.end(), [](int size) { return size % 2 == 1; });
}

bool is_dilated(const problem& p) { return p.dilation != std::array<int, 3>{1, 1, 1}; }

bool takes_cells(const problem& p) {
  return !is_dilated(p) && p.offsets() > 1 && !p.first_half && cells_around(p, edge) <= max_cells_around;
}

// Row-table accesses cost twice as much if they miss L2.
constexpr double l2_bytes = 50e6, slot_bytes = 12;

// The bitmap search has blocks of 64 rows for all offsets. On an H200, up to two per multiprocessor take
// about the same time: 10 000 rows at 5³ as long as 18 500 would by the cost of each further row.
constexpr double rows_of_full_bitmap_search = 2 * 132 * 64;

// The survey: two launches and a host round trip, for which launches wait that would else be queued, plus
// reading the rows' coordinates at device memory bandwidth. On the seven workloads of
// results/h200/kernel_map that have it, dispatch_measured takes 34 to 51 µs longer than the variant that it
// chooses.
constexpr double survey_fixed = 38, survey_row = 5e-6;

const map_cost& cost_of(std::string_view variant) {
  return *std::find_if(std::begin(map_costs), std::end(map_costs),
                       [&](const map_cost& c) { return c.variant == variant; });
}

double of_rows(const problem& p) { return static_cast<double>(p.rows); }

const estimated_time& least(const std::vector<estimated_time>& times) {
  return *std::min_element(times.begin(), times.end(),
                           [](const auto& a, const auto& b) { return a.us < b.us; });
}

/// The choice without a survey: the least time over the best on average over cells of 1, 2, 4, … 64 rows, and
/// whether the best after a survey is less on that average.
struct blind_choice {
  std::string variant;
  bool is_worse_than_a_survey;
};
blind_choice choose_blindly(const problem& p) {
  std::vector<estimated_time> over_best;
  double survey_over_best = 0;
  for (int rows_of_cell = 1; rows_of_cell <= voxels_of_cell; rows_of_cell *= 2) {
    std::vector<estimated_time> times = estimated_times(p, of_rows(p) / rows_of_cell);
    const double best = least(times).us;
    for (std::size_t i = 0; i < times.size(); ++i)
      times[i].us = times[i].us / best + (over_best.empty() ? 0 : over_best[i].us);
    over_best = std::move(times);
    survey_over_best += (best + survey_us(p.rows)) / best;
  }
  const estimated_time& pick = least(over_best);
  return {pick.variant, survey_over_best < pick.us};
}

}  // namespace

std::string published_choice(const problem& p) {
  const bool is_large = p.offsets() >= published_offsets && is_odd(p);
  return is_large && takes_cells(p) ? "hierarchical" : "flat";
}

std::vector<estimated_time> estimated_times(const problem& p, double cells) {
  const double rows = of_rows(p), outs = static_cast<double>(p.outs);
  const double found_cells = std::max(cells, 1.0), offsets = p.offsets();
  // Voxels around a row are assumed as likely to be occupied as the others of its cell.
  const double taken = std::max(0.0, rows / found_cells - 1) / (voxels_of_cell - 1);
  // Pairs that one warp writes after another, however many warps there are: an offset's, from a cell for each
  // lane.
  const double chain = rows / found_cells * taken;
  const double pairs = outs * (1 + (p.lists() - 1) * taken);
  const double probes = hash_table::expected_linear(rows / static_cast<double>(p.slots)).miss;
  const double beyond_l2 = 1 + std::max(0.0, 1 - l2_bytes / (slot_bytes * static_cast<double>(p.slots)));
  const double all = p.lists(), half = p.offsets() / 2;
  const double bitmap_outs = std::max(outs, rows_of_full_bitmap_search);
  const bool makes_all_lists = p.wanted == output::lists && !p.first_half;
  const bool exchanges = p.same && is_odd(p) && p.offsets() > 1 && makes_all_lists;
  std::vector<estimated_time> times;
  const auto add = [&](const char* variant, double entries) {
    const map_cost& c = cost_of(variant);
    times.push_back({variant, c.fixed + beyond_l2 * (c.row * rows + c.probe * probes * entries) +
                                  c.entry * entries + c.pair * pairs +
                                  (c.cell + c.cell_offset * offsets) * found_cells + c.chain * chain});
  };
  add("flat", outs * all);
  if (exchanges) add("flat_symmetric", outs * half);
  if (!takes_cells(p)) return times;
  add("hierarchical_bitmap", bitmap_outs * all);
  if (exchanges) add("hierarchical_bitmap_symmetric", bitmap_outs * half);
  if (p.same && makes_all_lists) add("cells", 0);
  if (exchanges) add("cells_symmetric", 0);
  return times;
}

double survey_us(std::int64_t rows) { return survey_fixed + survey_row * static_cast<double>(rows); }

bool depends_on_density(const problem& p) { return choose_blindly(p).is_worse_than_a_survey; }

std::string choice_by_sizes(const problem& p) { return choose_blindly(p).variant; }

std::string measured_choice(const problem& p, double cells) {
  const blind_choice blind = choose_blindly(p);
  return blind.is_worse_than_a_survey ? least(estimated_times(p, cells)).variant : blind.variant;
}

int survey_sample_bits(std::int64_t rows) {
  constexpr std::int64_t max_rows = 2 * cell_survey::bits;
  return rows <= max_rows ? 0 : std::bit_width(static_cast<std::uint64_t>((rows - 1) / max_rows));
}

double cells_of(const cell_survey& survey, std::int64_t rows) {
  int empty = cell_survey::bits;
  for (const std::uint64_t word : survey.words) empty -= std::popcount(word);
  const double sampled = cell_survey::bits * std::log(cell_survey::bits / std::max(1.0, 1.0 * empty));
  const double most = static_cast<double>(rows);
  return std::clamp(std::ldexp(sampled, survey_sample_bits(rows)), most / voxels_of_cell, most);
}

}  // namespace ablate::kernel_map
