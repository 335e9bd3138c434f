// voxelize: points to a count per cell of a grid. Axes, and one entry per variant; buffers, inputs, check and
// work model are in variants/voxelize/.
#include "kernels/voxelize/voxelize.h"

#include "harness/registry/define.h"
#include "kernels/voxelize/launches.h"
#include "variants/point_scenes.h"
#include "variants/voxelize/buffers.h"
#include "variants/voxelize/prepare.h"
#include "variants/voxelize/switches.h"

namespace ablate::voxelize {
namespace {

counter mode_of(const std::string& word) {
  if (word == "count_f32") return counter::float32;
  return word == "occupancy" ? counter::occupancy : counter::int32;
}

problem problem_at(const axis_values& at, const input_library& inputs) {
  problem p;
  static_cast<point_grid&>(p) = grid_at(at, inputs);
  p.mode = mode_of(at.word("mode"));
  p.by_reciprocal = at.word("cell_by") == "reciprocal";
  p.z_fastest = at.word("layout") == "z_fastest";
  const std::string& region = at.word("region");
  p.clears_grid = region == "clear_kernel" || region == "presorted_clear_kernel";
  if (region.starts_with("presorted_")) p.first = phase::count;
  return p;
}

/// Computes the keys for presorted regions.
std::optional<problem> ahead(const problem& p) {
  if (p.does(phase::sort)) return std::nullopt;
  problem before = p;
  before.first = before.last = phase::sort;
  before.clears_grid = false;
  return before;
}

std::optional<std::string> refuses(const axis_values& at) {
  if (auto why = refuses_scene(at)) return why;
  if (at.word("frame") == "corner") {
    if (at.word("distribution") != "uniform" || at.word("order") != "natural")
      return "frame=corner is for uniform points in natural order";
    if (at.integer("points") * at.integer("batch") > 1 << 24)
      return "frame=corner makes the points of all clouds as one: expected 2^24 at most";
  }
  return std::nullopt;
}

/// Adds what the switches imply for a variant: it does without the buffers that it does not read; only a
/// variant that sorts can start from sorted keys; and cells are found by division unless a switch says
/// otherwise.
std::vector<variant<problem>> with_consequences(std::vector<variant<problem>> lines) {
  for (variant<problem>& line : lines) {
    const bool sorts = line.switches.has("sort");
    line.limits.without.push_back(line.switches.has("points") ? "points" : "points_soa");
    if (!sorts) line.limits.without.push_back("scratch");
    const bool has_queues = line.switches.has("partition");
    const bool has_bins = line.switches.has("stage") && line.switches.word("stage") == "bins";
    if (!has_bins || has_queues) line.limits.without.push_back("bins");
    if (!has_queues) line.limits.without.push_back("queues");
    if (!sorts) line.limits.only_where.push_back({"region", {"clear_kernel", "kernel"}});
    line.limits.only_where.push_back(
        {"cell_by", {line.switches.has("division") ? "reciprocal" : "division"}});
  }
  return lines;
}

switches hashed(const char* entries, const char* points_per_block) {
  return {{"smem", "on"},
          {"stage", "voxels"},
          {"search", "hash"},
          {"entries", entries},
          {"points_per_block", points_per_block}};
}

/// A thread a point, and a block a table.
switches scanned() {
  return {{"smem", "on"},
          {"stage", "voxels"},
          {"search", "scan"},
          {"entries", "4096"},
          {"points_per_block", "256"}};
}

switches bricks(const char* held) {
  return {{"smem", "on"}, {"stage", "bricks"}, {"bricks", held}, {"points_per_block", "auto"}};
}

switches dealt(const char* points_per_block) {
  return {{"smem", "on"}, {"stage", "bins"}, {"points_per_block", points_per_block}, {"clears", "itself"}};
}

switches tiles() { return {{"smem", "on"}, {"stage", "cells"}, {"merge", "warp"}, {"clears", "itself"}}; }

/// Variants that sort cell keys: along which curve, and how they merge equal ones.
switches sorted_by(const char* curve, const char* merge) {
  return {{"smem", "off"}, {"sort", curve}, {"merge", merge}};
}

/// Hopper's kernels may begin before the preceding one has ended.
std::vector<switch_range> and_pdl(std::vector<switch_range> takes) {
  takes.push_back({"pdl", {"on"}, 90});
  return takes;
}

axis_conditions only_mode(const char* mode) { return {{"mode", {mode}}}; }

}  // namespace

const bool defined = define<problem>(
    {.name = "voxelize",
     .description = "count the points of each cloud in each cell of a grid",
     .axes = joined(
         {{axis::of_words(
              "mode", {"count_i32", "count_f32", "occupancy"},
              "what a cell holds: the number of its points as int32 or float32, or 1 where it has any")},
          cloud_axes(),
          {axis::of_words("frame", {"unit", "robot", "vehicle", "corner", "fitted"},
                          "box of the grid: cube of 1 m, cube of 1.28 m, 102.4 x 102.4 x 8 m around a LiDAR, "
                          "cube of 1.28 m in a corner of the points' cube of 2 m, or the cube around the box "
                          "of a point file's points"),
           axis::of_words("order", {"natural", "azimuth", "shuffled", "morton", "linear"},
                          "of the points: as generated or scanned, azimuth-major, random, along a Morton "
                          "curve, by the index of their cells"),
           axis::of_words("cell_by", {"division", "reciprocal"},
                          "how a place becomes a cell: divided by the cell's edge, or multiplied by its "
                          "reciprocal, which moves points within rounding of a boundary"),
           axis::of_words("layout", {"x_fastest", "z_fastest"},
                          "of the grid: which neighbor of a cell is next to it in memory"),
           axis::of_words("region", {"clear_kernel", "kernel", "presorted_clear_kernel", "presorted_kernel"},
                          "what is timed: clear and count, or count alone; a variant's sort is timed with "
                          "it, or done ahead (presorted)")}}),
     .baseline = "global_atomic",
     .presets = {.published = {"smem_linear_scan", "smem_point_cache"},
                 .best = {"warp_match", "global_atomic", "smem_hashed", "smem_bins+pdl", "sorted_segments",
                          "warp_runs", "global_atomic_four_points+pdl", "warp_match+pdl", "smem_point_cache",
                          "plain_store"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .before = ABLATE_LAUNCH(clear_grid),
     .ahead = ahead,
     .keeps_ahead = true,
     .switches = switches_of_voxelize(),
     .variants = with_consequences({
         {"global_atomic",
          ABLATE_LAUNCH(count_directly),
          {{"smem", "off"}},
          "one thread per point, one reduction to device memory per point",
          {.takes = and_pdl({{"threads", {"128", "512"}}})}},
         {"global_atomic_reciprocal",
          ABLATE_LAUNCH(count_directly),
          {{"smem", "off"}, {"division", "reciprocal"}},
          "global_atomic, with cells found by multiplying by the reciprocal of a cell's edge",
          {.takes = and_pdl({})}},
         {"global_atomic_vec4",
          ABLATE_LAUNCH(count_directly),
          {{"smem", "off"}, {"points_per_thread", "4"}, {"vector", "16B"}},
          "four points per thread through three 16-byte loads, one reduction per point",
          {.takes = and_pdl({})}},
         {"global_atomic_soa",
          ABLATE_LAUNCH(count_directly),
          {{"smem", "off"}, {"points", "soa"}},
          "global_atomic on points stored as a structure of arrays",
          {.takes = and_pdl({})}},
         {"global_atomic_four_points",
          ABLATE_LAUNCH(count_directly),
          {{"smem", "off"}, {"points_per_thread", "4"}},
          "global_atomic with four points per thread, all located before the first is counted",
          {.takes = and_pdl({})}},
         {"smem_point_cache",
          ABLATE_LAUNCH(smem_point_cache),
          {{"smem", "on"}, {"stage", "points"}},
          "each thread copies its point through shared memory, as in the study; one reduction per point"},
         {"smem_point_cache_flat",
          ABLATE_LAUNCH(smem_point_cache),
          {{"smem", "on"}, {"stage", "points"}, {"vector", "16B"}},
          "points copied through shared memory by 16-byte loads; one reduction per point"},
         {"smem_point_cache_async",
          ABLATE_LAUNCH(smem_point_cache),
          {{"smem", "on"}, {"stage", "points"}, {"vector", "16B"}, {"copy", "async"}},
          "smem_point_cache_flat in two stages filled by cp.async, with blocks that walk through the cloud"},
         {"smem_point_cache_bulk",
          ABLATE_LAUNCH(smem_point_cache),
          {{"smem", "on"}, {"stage", "points"}, {"vector", "16B"}, {"copy", "bulk"}},
          "smem_point_cache_flat in two stages filled by bulk copies, with blocks "
          "that walk through the cloud",
          {.minimum_compute_capability = 90}},
         {"smem_linear_scan",
          ABLATE_LAUNCH(smem_linear),
          scanned(),
          "every point scans a table in shared memory that is never filled, as in the study",
          {.takes = ranges_of_scans()}},
         {"smem_linear_claim",
          ABLATE_LAUNCH(smem_linear),
          scanned().with({{"claim", "on"}}),
          "every point scans a table in shared memory for its cell and claims the first empty entry",
          {.takes = ranges_of_scans()}},
         {"smem_hashed",
          ABLATE_LAUNCH(smem_hashed),
          hashed("2048", "auto"),
          "direct-mapped table of cells in shared memory; as many points per block as "
          "leave a block for every SM",
          {.takes = and_pdl(ranges_of_tables())}},
         {"smem_hashed_probing",
          ABLATE_LAUNCH(smem_hashed),
          hashed("2048", "auto").with({{"probes", "4"}}),
          "smem_hashed with open addressing: a point tries up to four slots",
          {.takes = and_pdl(ranges_of_tables())}},
         {"smem_hashed_warp_match",
          ABLATE_LAUNCH(smem_hashed),
          hashed("2048", "auto").with({{"merge", "warp"}}),
          "smem_hashed with lanes of one cell merged by match before they reach the table",
          {.takes = and_pdl(ranges_of_merging_tables())}},
         {"smem_bricks",
          ABLATE_LAUNCH(smem_bricks),
          bricks("16"),
          "dense counters in shared memory for 16 bricks of 8x8x8 cells; for points along a Morton curve",
          {.takes = {range_of_points_per_block()}}},
         {"smem_one_brick",
          ABLATE_LAUNCH(smem_bricks),
          bricks("1"),
          "smem_bricks with a single brick in shared memory",
          {.takes = {range_of_points_per_block()}}},
         {"smem_bins",
          ABLATE_LAUNCH(smem_bins),
          dealt("auto"),
          "points dealt into 128 or more bins of cells; each bin is counted in shared memory and written "
          "whole, so nothing is cleared",
          {.takes = and_pdl({{"points_per_block", {"2048", "4096", "8192"}}})}},
         {"smem_bins_one_launch", ABLATE_LAUNCH(smem_bins_one_launch),
          dealt("auto").with({{"partition", "queues"}, {"launch", "one"}}),
          "points dealt through queues in shared memory and counted by the blocks that "
          "dealt them, in one launch"},
         {"smem_tiles",
          ABLATE_LAUNCH(smem_tiles),
          tiles(),
          "eight blocks share a cloud's grid in tiles, each counted in shared memory and "
          "written once; for batches",
          {.takes = {{"cluster", {"8"}, 90}, {"copy", {"bulk"}, 90}}}},
         {"smem_cluster_tiles",
          ABLATE_LAUNCH(smem_tiles),
          tiles().with({{"cluster", "8"}, {"copy", "bulk"}}),
          "smem_tiles in clusters: each block finds the cells of an eighth of the points; "
          "bulk copies store the tiles",
          {.minimum_compute_capability = 90}},
         {"smem_bitmap",
          ABLATE_LAUNCH(smem_bitmap),
          {{"smem", "on"}, {"stage", "bitmap"}, {"atomic", "none"}},
          "one bit per cell in shared memory, private to a block; in slabs if the grid is too large",
          {.only_where = only_mode("occupancy")}},
         {"smem_bitmap_cluster",
          ABLATE_LAUNCH(smem_bitmap),
          {{"smem", "on"}, {"stage", "bitmap"}, {"atomic", "none"}, {"cluster", "2"}},
          "one bit per cell in shared memory, split between the two blocks of a cluster",
          {.only_where = only_mode("occupancy"), .minimum_compute_capability = 90}},
         {"warp_match",
          ABLATE_LAUNCH(warp_merge),
          {{"smem", "off"}, {"merge", "warp"}},
          "lanes of one cell found by match, one reduction for all of them",
          {.takes = and_pdl({{"points_per_thread", {"4"}}})}},
         {"warp_match_soa",
          ABLATE_LAUNCH(warp_merge),
          {{"smem", "off"}, {"merge", "warp"}, {"points", "soa"}},
          "warp_match on points stored as a structure of arrays",
          {.takes = and_pdl({})}},
         {"warp_match_reciprocal",
          ABLATE_LAUNCH(warp_merge),
          {{"smem", "off"}, {"merge", "warp"}, {"division", "reciprocal"}},
          "warp_match, with cells found by multiplying by the reciprocal of a cell's edge",
          {.takes = and_pdl({})}},
         {"warp_runs",
          ABLATE_LAUNCH(warp_merge),
          {{"smem", "off"}, {"merge", "warp_runs"}},
          "adjacent lanes of one cell merged by shuffle and ballot, one reduction per run",
          {.takes = and_pdl({})}},
         {"warp_shuffles",
          ABLATE_LAUNCH(warp_merge),
          {{"smem", "off"}, {"merge", "warp"}, {"election", "shuffles"}},
          "lanes of one cell merged without match: leaders elected one after another by shuffle and ballot",
          {.takes = and_pdl({})}},
         {"packed_pair",
          ABLATE_LAUNCH(count_in_pairs),
          {{"smem", "off"}, {"word", "64"}},
          "two int32 counters in a 64-bit word, one reduction per point",
          {.only_where = only_mode("count_i32"), .takes = and_pdl({})}},
         {"packed_pair_lanes",
          ABLATE_LAUNCH(count_in_pairs),
          {{"smem", "off"}, {"word", "64"}, {"merge", "lane_pairs"}},
          "packed_pair, with lanes 2k and 2k+1 merged if their points fall into one pair of cells",
          {.only_where = only_mode("count_i32")}},
         {"packed_pair_match",
          ABLATE_LAUNCH(count_in_pairs),
          {{"smem", "off"}, {"word", "64"}, {"merge", "warp"}},
          "packed_pair, with lanes of one pair of cells found by match and merged",
          {.only_where = only_mode("count_i32"), .takes = and_pdl({})}},
         {"vector_pair_match",
          ABLATE_LAUNCH(count_in_pairs),
          {{"smem", "off"}, {"word", "2x32"}, {"merge", "warp"}},
          "lanes of one pair of cells found by match, one reduction of two floats for all of them",
          {.only_where = only_mode("count_f32"), .minimum_compute_capability = 90, .takes = and_pdl({})}},
         {"plain_store",
          ABLATE_LAUNCH(mark_cells),
          {{"smem", "off"}, {"atomic", "none"}},
          "every point stores 1 to its cell",
          {.only_where = only_mode("occupancy"), .takes = and_pdl({{"points_per_thread", {"4"}}})}},
         {"test_then_store",
          ABLATE_LAUNCH(mark_cells),
          {{"smem", "off"}, {"atomic", "none"}, {"test", "first"}},
          "every point reads its cell and stores 1 if it finds 0",
          {.only_where = only_mode("occupancy"), .takes = and_pdl({{"points_per_thread", {"4"}}})}},
         {"atomic_exchange",
          ABLATE_LAUNCH(mark_cells),
          {{"smem", "off"}, {"atomic", "exchange"}},
          "every point exchanges its cell's value for 1",
          {.only_where = only_mode("occupancy"), .takes = and_pdl({{"points_per_thread", {"4"}}})}},
         {"count_then_binarize",
          ABLATE_LAUNCH(count_then_binarize),
          {{"smem", "off"}, {"passes", "2"}},
          "global_atomic, then a kernel that turns counts into 1; with region=clear_kernel, what "
          "the study's baseline times",
          {.only_where = only_mode("occupancy")}},
         {"sorted_atomic",
          ABLATE_LAUNCH(sorted),
          sorted_by("morton", "none"),
          "cell keys sorted along a Morton curve, one reduction per key",
          {.takes = {{"sort", {"linear"}}}}},
         {"sorted_segments",
          ABLATE_LAUNCH(sorted),
          sorted_by("morton", "warp_runs"),
          "cell keys sorted along a Morton curve, one reduction per run of equal keys in a warp",
          {.takes = {{"sort", {"linear"}}}}},
         {"sorted_runs", ABLATE_LAUNCH(sorted), sorted_by("morton", "runs"),
          "cell keys sorted along a Morton curve and run-length encoded, without atomics"},
         {"sorted_runs_linear", ABLATE_LAUNCH(sorted), sorted_by("linear", "runs"),
          "sorted_runs with cell indices as keys"},
         {"sorted_bricks", ABLATE_LAUNCH(sorted),
          sorted_by("morton", "bricks").with({{"smem", "on"}, {"points_per_block", "auto"}}),
          "sorted keys counted brick by brick in shared memory; bricks that belong to one block are written "
          "by plain stores"},
     })});

}  // namespace ablate::voxelize
