#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "base/text/or_null.h"
#include "harness/inputs/voxels/generators.h"
#include "harness/registry/define.h"
#include "kernels/hash_table/cost.h"
#include "kernels/hash_table/hash_table.h"
#include "oracles/hash_table/checks.h"
#include "variants/voxel_facts.h"

/// Shared by the operations on hash tables: axes, rows, and facts about them.
namespace ablate::hash_table {

constexpr long max_slots = 1 << 25;
/// Without an empty slot to stop at, a search for an absent key visits every slot.
constexpr long max_slots_when_full = 1 << 16;
/// Each of them takes half as many probes as there are keys.
constexpr long max_adversarial_keys = 1 << 14;

inline axis slots_axis() {
  return axis::of_integers("slots", 16, max_slots, 1 << 22, "slots of the table, a power of two");
}

inline axis rows_axis() {
  axis rows =
      axis::of_integers("rows", 0, max_voxel_rows, 0, "rows to insert; 0 = by the load; all of a point file");
  rows.words = {"all"};
  return rows;
}

inline axis keys_axis() {
  axis keys{.name = "keys",
            .description =
                "the rows' voxels: random keys, a scene, the corners of the range in batches 0, 1, "
                "510 and 511 (faces); or the name of a point file",
            .default_value = "random",
            .words = {"random"},
            .takes_point_files = true};
  for (const std::string& scene : voxel_scenes())
    if (scene != keys.default_value) keys.words.push_back(scene);
  keys.words.push_back("faces");
  return keys;
}

inline axis cell_axis() {
  return axis::of_integers("cell_cm", 1, 100, 10, "edge of a point file's voxels, centimeters");
}

inline axis order_of_rows_axis() {
  return axis::of_words("order", {"scan", "shuffled", "morton"},
                        "of the rows: as generated or scanned, random, along a Morton curve; copies are "
                        "neighbors unless shuffled");
}

inline bool is_point_file(const std::string& keys) {
  const auto& scenes = voxel_scenes();
  return keys != "faces" && std::find(scenes.begin(), scenes.end(), keys) == scenes.end();
}

using refuses_function = std::optional<std::string> (*)(const axis_values&);

/// The answer of `refuses`, which needs a number of rows; for rows=all, what can be told without the file.
inline std::optional<std::string> refuses_before_counting(const axis_values& at, const std::string& keys,
                                                          refuses_function refuses) {
  if (at.word("rows") != "all") return refuses(at);
  if (is_point_file(keys)) return std::nullopt;
  return "rows=all is for point files only: generated keys are as many as are asked for";
}

/// The axes with rows=all replaced by its number. Throws input_unfit if `refuses` has a reason.
inline axis_values with_counted_rows(axis_values at, const std::string& keys, std::int64_t multiplicity,
                                     refuses_function refuses, const input_library& inputs) {
  if (at.word("rows") != "all") return at;
  const std::int64_t rows = inputs.voxel_row_count(
      {.scene = keys + fmt::format("_{}cm", at.integer("cell_cm")), .multiplicity = multiplicity});
  at.set("rows", std::to_string(rows));
  if (const auto reason = refuses(at))
    throw input_unfit(fmt::format("point file '{}'", keys), fmt::format("{} rows", rows), *reason);
  return at;
}

/// The number of rows; `all` must have been replaced.
inline std::int64_t rows_at(const axis_values& at) {
  if (const long rows = at.integer("rows"); rows != 0) return rows;
  return std::int64_t{at.integer("slots")} * at.integer("load") / 100;
}

/// The number of rows that are not equal to one before them.
inline std::int64_t distinct_at(const axis_values& at) {
  const std::int64_t multiplicity = at.integer("multiplicity");
  return (rows_at(at) + multiplicity - 1) / multiplicity;
}

/// Why a table with this many keys does not form a case.
inline std::optional<std::string> refuses_table(const axis_values& at, std::int64_t keys) {
  const long slots = at.integer("slots");
  if (!std::has_single_bit(static_cast<unsigned long>(slots))) return "slots must be a power of two";
  if (rows_at(at) > max_voxel_rows) return fmt::format("{} rows: at most {}", rows_at(at), max_voxel_rows);
  if (keys >= slots && slots > max_slots_when_full)
    return fmt::format("{} keys fill all slots: only up to {} slots, all of which a key visits then", keys,
                       max_slots_when_full);
  if (at.word("keys") == "adversarial" && keys > max_adversarial_keys)
    return fmt::format("keys=adversarial for {} keys: at most {}, each visits half as many slots", keys,
                       max_adversarial_keys);
  return std::nullopt;
}

/// Voxels at the corners of the range: the four batches in turn, then the eight corners, then inwards.
inline voxel_scene face_voxels(std::int64_t count) {
  constexpr std::int32_t batches[] = {0, 1, 510, 511};
  std::int64_t edge = 1;
  while (32 * edge * edge * edge < count) ++edge;
  const auto coordinate = [](bool is_high, std::int64_t depth) {
    const auto from_face = static_cast<std::int32_t>(depth);
    return is_high ? highest_coordinate - from_face : lowest_coordinate + from_face;
  };
  voxel_scene scene;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t corner = i / 4 % 8, depth = i / 32;
    scene.voxels.push_back({batches[i % 4], coordinate(corner & 1, depth / edge / edge),
                            coordinate(corner & 2, depth / edge % edge),
                            coordinate(corner & 4, depth % edge)});
  }
  return scene;
}

/// The rows of a table; none if their number is 0.
inline voxel_cloud rows_of_table(const axis_values& at, const input_library& inputs, const std::string& order,
                                 std::int64_t multiplicity) {
  voxel_request request{
      .scene = at.word("keys"), .rows = rows_at(at), .order = order, .multiplicity = multiplicity};
  if (request.rows == 0) return {};
  if (request.scene == "faces")
    return finish_voxels(face_voxels((request.rows + multiplicity - 1) / multiplicity), request,
                         inputs.seed());
  if (is_point_file(request.scene)) request.scene += fmt::format("_{}cm", at.integer("cell_cm"));
  return inputs.voxels(request);
}

/// Facts about an input with these rows: the table that they make, and the expected cost of searching it.
inline nlohmann::ordered_json facts_of_rows(const voxel_cloud& rows, const problem& p, std::int64_t distinct,
                                            const std::string& hash) {
  const double load = static_cast<double>(std::min(distinct, p.slots)) / static_cast<double>(p.slots);
  const expected_probes linear = expected_linear(load), double_hash = expected_double_hash(load);
  const expected_buckets buckets = expected_double_hash_buckets(load, 4);
  const auto where_it_ends = [&](double probes) -> nlohmann::ordered_json {
    if (load < 1) return probes;
    return nullptr;
  };
  nlohmann::ordered_json facts = {{"hash", hash},
                                  {"rows", p.rows},
                                  {"distinct", distinct},
                                  {"slots", p.slots},
                                  {"load", load},
                                  {"expected_probes_hit_linear", where_it_ends(linear.hit)},
                                  {"expected_probes_miss_linear", where_it_ends(linear.miss)},
                                  {"expected_probes_hit_double_hash", where_it_ends(double_hash.hit)},
                                  {"expected_probes_miss_double_hash", where_it_ends(double_hash.miss)},
                                  {"expected_buckets4_hit_double_hash", where_it_ends(buckets.hit)},
                                  {"expected_buckets4_miss_double_hash", where_it_ends(buckets.miss)},
                                  {"expected_buckets4_miss_marked", where_it_ends(buckets.marked_miss)}};
  add_facts_of(rows, facts);
  return facts;
}

/// Random sector accesses in the smallest layout, 8 bytes per slot: one per access; all accesses together are
/// for this many keys. Few keys leave most of a large table untouched.
inline random_access at_random(const char* resource, std::int64_t accesses, std::int64_t keys,
                               std::int64_t slots) {
  constexpr double sector_bytes = 32, slot_bytes = 8;
  return {resource, static_cast<double>(accesses),
          std::min(slot_bytes * static_cast<double>(slots), sector_bytes * static_cast<double>(keys))};
}

/// 99th percentile of the slots (windows, buckets) visited per operation, from a histogram: exact below 64;
/// above, the upper end of its bin, at most `most`. Null without operations.
inline nlohmann::ordered_json probes_p99(std::span<const std::uint64_t> histogram, std::uint64_t most) {
  std::uint64_t all = 0, below = 0;
  for (const std::uint64_t count : histogram) all += count;
  if (all == 0) return nullptr;
  int bin = 0;
  for (below = histogram[0]; 100 * below < 99 * all; below += histogram[static_cast<std::size_t>(bin)]) ++bin;
  if (bin < exact_probe_bins) return bin;
  const int power = std::bit_width(static_cast<unsigned>(exact_probe_bins)) + bin - exact_probe_bins;
  return std::min(most, (std::uint64_t{1} << power) - 1);
}

/// Figures of the instrumented form; null if the variant has none. For an insertion, a hit is a row whose key
/// was already there.
inline nlohmann::ordered_json read_events(std::span<const std::uint64_t> counts) {
  if (counts[operations] == 0) return nullptr;
  const auto per = reports::quotient_or_null;
  return {{"operations", counts[operations]},
          {"hits", counts[hits]},
          {"hit_share", per(counts[hits], counts[operations])},
          {"probes_per_hit", per(counts[probes_of_hits], counts[hits])},
          {"probes_per_miss", per(counts[probes_of_misses], counts[operations] - counts[hits])},
          {"sectors_per_operation", per(counts[sectors], counts[operations])},
          {"probes_p99_hit", probes_p99(counts.subspan(hit_histogram, probe_bins), counts[longest])},
          {"probes_p99_miss", probes_p99(counts.subspan(miss_histogram, probe_bins), counts[longest])},
          {"longest", counts[longest]},
          {"atomics", counts[atomics]},
          {"atomics_per_operation", per(counts[atomics], counts[operations])}};
}

}  // namespace ablate::hash_table
