#include "variants/pool/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "kernels/pool/sub_buckets.h"
#include "kernels/psh_bucket/psh_bucket.h"
#include "kernels/serialize/serialize.h"
#include "oracles/psh_bucket/keys.h"
#include "oracles/psh_bucket/probes.h"
#include "oracles/psh_bucket/reference.h"
#include "oracles/serialize/reference.h"
#include "variants/cloud_axes.h"
#include "variants/cloud_batch.h"

namespace ablate::pool {
namespace {

constexpr std::int32_t max_cells = std::int32_t{1} << serialize::max_depth;
constexpr int bucket_capacity = 512;
constexpr int bisection_steps = 40;
constexpr double ratio_tolerance = 0.01;

/// Three coordinates of up to 17 bits.
std::uint64_t packed(const std::int32_t* cell, int shift) {
  return static_cast<std::uint64_t>(cell[0] >> shift) << 40 |
         static_cast<std::uint64_t>(cell[1] >> shift) << 20 | static_cast<std::uint64_t>(cell[2] >> shift);
}

/// The first point of each cell.
std::vector<float> voxels_of(std::span<const float> points, const std::array<float, 3>& least,
                             const axis_values& at) {
  const std::vector<std::int32_t> cells = grid_cells(points, least, cell_edge_m, max_cells, at);
  std::unordered_set<std::uint64_t> met;
  std::vector<float> kept;
  for (std::size_t i = 0; i < points.size(); i += 3)
    if (met.insert(packed(cells.data() + i, 0)).second)
      kept.insert(kept.end(), points.begin() + static_cast<std::ptrdiff_t>(i),
                  points.begin() + static_cast<std::ptrdiff_t>(i + 3));
  return kept;
}

/// Each instance's points in cells of its own.
std::vector<std::int32_t> cells_of(const scene& s, float edge_m, const axis_values& at) {
  std::vector<std::int32_t> all;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < s.ends.size(); begin = s.ends[k++]) {
    const auto points = std::span(s.xyz).subspan(3 * begin, 3 * (s.ends[k] - begin));
    const std::vector<std::int32_t> cells = grid_cells(points, s.least[k], edge_m, max_cells, at);
    all.insert(all.end(), cells.begin(), cells.end());
  }
  return all;
}

std::int64_t distinct_cells(const scene& s, const std::vector<std::int32_t>& cells, int shift) {
  std::int64_t distinct = 0;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : s.ends) {
    std::vector<std::uint64_t> of_instance;
    for (std::uint32_t i = begin; i < end; ++i) of_instance.push_back(packed(cells.data() + 3ull * i, shift));
    std::ranges::sort(of_instance);
    distinct += std::ranges::unique(of_instance).begin() - of_instance.begin();
    begin = end;
  }
  return distinct;
}

/// The longest extent, meters.
float extent_of(const scene& s) {
  float longest = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    float low = std::numeric_limits<float>::infinity(), high = -low;
    for (std::size_t i = axis; i < s.xyz.size(); i += 3) {
      low = std::min(low, s.xyz[i]);
      high = std::max(high, s.xyz[i]);
    }
    longest = std::max(longest, high - low);
  }
  return longest;
}

/// The edge at which the grid twice as coarse has about one cell for `ratio` points.
float fitted_edge(const scene& s, double ratio, const axis_values& at) {
  float low = std::max(1e-3f, 1.01f * extent_of(s) / static_cast<float>(max_cells)), high = 64 * low;
  const auto ratio_at = [&](float edge) {
    const std::int64_t clusters = distinct_cells(s, cells_of(s, edge, at), 1);
    return static_cast<double>(s.points()) / static_cast<double>(clusters);
  };
  while (high < 1000 && ratio_at(high) < ratio) high *= 4;
  float best = high;
  double least = std::numeric_limits<double>::infinity();
  for (int step = 0; step < bisection_steps && least > ratio_tolerance; ++step) {
    const float middle = (low + high) / 2;
    const double found = ratio_at(middle), apart = std::abs(found - ratio) / ratio;
    if (apart < least) {
      least = apart;
      best = middle;
    }
    (found < ratio ? low : high) = middle;
  }
  return best;
}

/// Rows by ascending key, of each instance.
template <class Key>
std::vector<std::uint32_t> sorted_rows(const scene& s, Key key) {
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(s.points()));
  std::iota(rows.begin(), rows.end(), 0u);
  std::uint32_t begin = 0;
  for (const std::uint32_t end : s.ends) {
    std::stable_sort(rows.begin() + begin, rows.begin() + end,
                     [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    begin = end;
  }
  return rows;
}

psh_bucket::problem hashing_of(const scene& s, const std::vector<std::uint16_t>& halves) {
  psh_bucket::problem p;
  p.instances = static_cast<int>(s.ends.size());
  p.points = s.points();
  p.ends = s.ends.data();
  p.coordinates = halves.data();
  p.capacity = bucket_capacity;
  for (std::size_t k = 0; k < s.ends.size(); ++k)
    p.largest_instance = std::max<std::int64_t>(p.largest_instance, s.ends[k] - (k == 0 ? 0 : s.ends[k - 1]));
  p.buckets = psh_bucket::buckets_for(p.largest_instance, p.capacity);
  return p;
}

std::vector<std::uint32_t> cut_rows(const scene& s, const std::vector<std::uint16_t>& halves) {
  const psh_bucket::problem p = hashing_of(s, halves);
  const psh_bucket::bounding_box box = psh_bucket::bounding_box_of(p);
  std::vector<std::uint16_t> keys;
  for (std::int64_t i = 0; i < p.points; ++i)
    keys.push_back(
        psh_bucket::key_of(psh_bucket::hash::z_div, psh_bucket::voxel_of(p, box, halves.data() + 3 * i)));
  return sorted_rows(s, [&](std::uint32_t row) { return keys[row]; });
}

std::vector<std::uint32_t> hashed_rows(const scene& s, const std::vector<std::uint16_t>& halves) {
  psh_bucket::problem p = hashing_of(s, halves);
  p.hash = psh_bucket::hash::xor_div;
  const std::vector<std::int16_t> steps = psh_bucket::shuffled_probe_steps(p.seed);
  const auto points = static_cast<std::size_t>(p.points), rows = static_cast<std::size_t>(p.rows());
  const std::size_t counters = static_cast<std::size_t>(p.instances) * static_cast<std::size_t>(p.buckets);
  std::vector<std::uint16_t> id(points), scattered(3 * rows);
  std::vector<std::uint32_t> off(points), count(counters), end(counters), source(rows);
  p.probe_steps = steps.data();
  p.bucket_id = id.data();
  p.bucket_off = off.data();
  p.bucket_count = count.data();
  p.bucket_end = end.data();
  p.scattered = scattered.data();
  p.source = source.data();
  psh_bucket::reference(p);
  source.resize(points);
  return source;
}

std::vector<std::uint32_t> hilbert_rows(const scene& s, const axis_values& at) {
  const std::vector<std::int32_t> cells = cells_of(s, cell_edge_m, at);
  const auto of = [&](std::uint32_t row) {
    std::array<std::uint32_t, 3> cell;
    for (std::size_t axis = 0; axis < 3; ++axis)
      cell[axis] = static_cast<std::uint32_t>(cells[3ull * row + axis]);
    return serialize::code_of(serialize::curve::hilbert, serialize::max_depth, cell);
  };
  std::vector<std::uint64_t> codes;
  for (std::int64_t i = 0; i < s.points(); ++i) codes.push_back(of(static_cast<std::uint32_t>(i)));
  return sorted_rows(s, [&](std::uint32_t row) { return codes[row]; });
}

scene_facts find_facts(const axis_values& at, const input_library& inputs) {
  const scene s = scene_at(at, inputs);
  scene_facts facts;
  facts.points = s.points();
  std::uint32_t begin = 0;
  const int ratio = static_cast<int>(at.integer("ratio"));
  for (const std::uint32_t end : s.ends) {
    facts.largest = std::max<std::int64_t>(facts.largest, end - begin);
    facts.clusters_in_buckets += clusters_of(end - begin, ratio);
    begin = end;
  }
  if (at.word("clusters") != "grid") return facts;
  const scene_grid grid = grid_of(s, at);
  facts.shift = grid.shift;
  facts.depth = grid.depth;
  facts.clusters_of_grid = grid.clusters;
  facts.edge_m = grid.edge_m;
  return facts;
}

}  // namespace

scene scene_at(const axis_values& at, const input_library& inputs) {
  scene s;
  cloud_batch batch = batch_of(at, "natural", inputs);
  for (std::size_t k = 0; k < batch.ends.size(); ++k) s.least.push_back(least_of(batch.instance(k), at));
  s.facts = std::move(batch.facts);
  if (at.word("points_as") != "voxels") {
    s.xyz = std::move(batch.xyz);
    s.ends = std::move(batch.ends);
    return s;
  }
  s.facts.erase("zero_returns");  // they share a voxel, which is one point at most
  for (std::size_t k = 0; k < batch.ends.size(); ++k) {
    const std::vector<float> kept = voxels_of(batch.instance(k), s.least[k], at);
    s.xyz.insert(s.xyz.end(), kept.begin(), kept.end());
    s.ends.push_back(static_cast<std::uint32_t>(s.points()));
  }
  return s;
}

scene_grid grid_of(const scene& s, const axis_values& at) {
  scene_grid grid;
  const long ratio = at.integer("ratio");
  if (at.word("equal") == "ratio") {
    if (s.points() > 0) grid.edge_m = fitted_edge(s, static_cast<double>(ratio), at);
  } else {
    grid.shift = static_cast<int>(std::bit_width(static_cast<unsigned long>(ratio))) - 1;
  }
  grid.cells = cells_of(s, grid.edge_m, at);
  const auto greatest = std::ranges::max_element(grid.cells);
  grid.depth = grid.shift;
  if (greatest != grid.cells.end())
    grid.depth =
        std::max(grid.shift, static_cast<int>(std::bit_width(static_cast<std::uint32_t>(*greatest))));
  grid.clusters = distinct_cells(s, grid.cells, grid.shift);
  return grid;
}

half_coordinates bucket_order(const scene& s, const axis_values& at, const input_library& inputs) {
  half_coordinates halves = halves_of(s.xyz, s.ends, at, inputs);
  const std::string& by = at.word("order_by");
  const std::vector<std::uint32_t> rows = by == "cut"   ? cut_rows(s, halves.xyz)
                                          : by == "psh" ? hashed_rows(s, halves.xyz)
                                                        : hilbert_rows(s, at);
  std::vector<std::uint16_t> ordered;
  for (const std::uint32_t row : rows)
    ordered.insert(ordered.end(), halves.xyz.begin() + 3 * std::ptrdiff_t{row},
                   halves.xyz.begin() + 3 * (std::ptrdiff_t{row} + 1));
  halves.xyz = std::move(ordered);
  return halves;
}

scene_facts facts_at(const axis_values& at, const input_library& inputs) {
  if (is_point_file(at)) return find_facts(at, inputs);
  static std::mutex mutex;
  static std::map<std::pair<std::uint64_t, std::string>, scene_facts> found;
  std::string key;
  for (const char* name :
       {"clusters", "points", "batch", "sizes", "distribution", "points_as", "ratio", "equal"})
    key += at.word(name) + ' ';
  const std::scoped_lock lock(mutex);
  const auto known = found.find({inputs.seed(), key});
  if (known != found.end()) return known->second;
  return found.emplace(std::pair{inputs.seed(), key}, find_facts(at, inputs)).first->second;
}

}  // namespace ablate::pool
