// psh_bucket: points into fixed-capacity buckets by perfect spatial hashing, and their coordinates into
// bucket order. Axes, and one entry per variant; batches, buffers, inputs, check, quality figures and work
// model are in variants/psh_bucket/.
#include "kernels/psh_bucket/psh_bucket.h"

#include "harness/registry/define.h"
#include "kernels/psh_bucket/launches.h"
#include "oracles/psh_bucket/launches.h"
#include "variants/cloud_axes.h"
#include "variants/cloud_batch.h"
#include "variants/phases.h"
#include "variants/psh_bucket/buffers.h"
#include "variants/psh_bucket/prepare.h"
#include "variants/psh_bucket/problem.h"
#include "variants/psh_bucket/switches.h"

namespace ablate::psh_bucket {
namespace {

/// All phases before the region's first one.
std::optional<checked_problem> ahead(const checked_problem& p) {
  if (p.first == phase::prepare) return std::nullopt;
  checked_problem before = p;
  before.first = phase::prepare;
  before.last = static_cast<phase>(static_cast<int>(p.first) - 1);
  before.claims = true;
  return before;
}

switches counted_by(const char* counter, const char* launch, const char* smem_request = "needed") {
  return {{"counter", counter}, {"launch", launch}, {"smem_request", smem_request}};
}

switches counted_by_key(const char* key_bits) {
  return {{"counter", "sort_and_chunk"},
          {"launch", "resident"},
          {"smem_request", "needed"},
          {"key_bits", key_bits}};
}

const std::vector<std::string> region_words = {"pipeline",  "kernels",          "insert", "search",
                                               "rebalance", "insert_rebalance", "drain",  "scatter"};
axis_conditions fused_regions() { return {{"region", {"pipeline", "kernels", "insert_rebalance"}}}; }

/// Of counters that place points fused or split, with as much shared memory as asked for.
variant_limits fused_or_split() {
  return {.only_where = fused_regions(),
          .takes = {{"launch", {"split"}, 80, {{"region", region_words}}}, range_of_smem_request()}};
}

axis_conditions strict_in(std::vector<std::string> regions) {
  return {{"mode", {"strict"}}, {"region", std::move(regions)}};
}

/// Of counters that give nothing back: the fill makes theirs right again, so it belongs to the region.
variant_limits without_rollback() {
  return {.only_where = strict_in({"pipeline", "kernels"}), .takes = {range_of_smem_request()}};
}

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "psh_bucket",
     .description =
         "points into buckets of a fixed capacity by perfect spatial hashing, and into bucket order",
     .axes = {axis::of_words(
                  "hash", hash_words,
                  "key of a voxel (Morton or xor) and how it becomes a bucket (quotient or remainder)"),
              axis::of_words("mode", mode_words,
                             "where points go whose bucket is full: after probing to any free place; after "
                             "one attempt, or eight, to a bin that is drained"),
              points_axis(1 << 22, 124087, "points of an instance"),
              axis::of_integers("batch", 1, 65535, 1, "instances, each with buckets of its own"),
              instance_sizes_axis(), distribution_axis("lidar"),
              axis::of_words("order", {"natural", "shuffled", "morton"},
                             "of the points: as generated or scanned, random, along a Morton curve"),
              axis::of_integers("capacity", 16, 4096, 512, "points that a bucket holds; a multiple of 16"),
              axis::of_integers("buckets", 0, max_buckets, 0,
                                "buckets of an instance, a power of two from 32; 0 = the fewest that hold "
                                "the largest instance"),
              axis::of_integers("probes", 0, max_probes, max_probes,
                                "places around its voxel that a point without a place may look at"),
              axis::of_integers(
                  "segments", 0, max_probes, 0,
                  "attempts, each in its part of the probes; 0 = the mode's own: described 8, else 1"),
              axis::of_words(
                  "layout", layout_words,
                  "of the scattered rows: bucket after bucket, or each bucket at a multiple of the capacity"),
              axis::of_words("quantization", quantization_words,
                             "voxels: each axis stretched to its own extent, or all by the longest one"),
              axis::of_integers("channels", 0, 1024, 0,
                                "bf16 features of a point that are scattered too; a multiple of 8"),
              axis::of_words("region", region_words,
                             "what is timed: all; all but zeroing and bounding box; one phase or two; search "
                             "= rebalance without its claims")},
     .baseline = "global_atomic",
     .presets = {.published = {"two_stage"},
                 .best = {"two_stage", "two_stage+launch=split", "sort_and_chunk_resident",
                          "sort_and_chunk_resident+key_bits=10", "global_atomic+launch=split",
                          "two_stage_resident", "two_stage_skip_zero+launch=split"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .ahead = ahead,
     .compare = ABLATE_LAUNCH(tell_hashed),
     .switches = switches_of_psh_bucket(),
     .variants = {
         {"global_atomic", ABLATE_LAUNCH(place_by_counter), counted_by("global_atomic", "fused"),
          "one returning atomic in device memory per point; insertion and rebalancing in one kernel",
          fused_or_split()},
         {"two_stage", ABLATE_LAUNCH(place_by_counter), counted_by("two_stage", "fused"),
          "ranks from counters in shared memory; each block commits all of its counters to "
          "device memory, as published",
          fused_or_split()},
         {"two_stage_skip_zero", ABLATE_LAUNCH(place_by_counter), counted_by("two_stage_skip_zero", "fused"),
          "two_stage, without committing counters that are zero", fused_or_split()},
         {"warp_aggregated", ABLATE_LAUNCH(place_by_counter), counted_by("warp_aggregated", "fused"),
          "global_atomic, with one atomic for all lanes of a warp that share a bucket", fused_or_split()},
         {"two_stage_warp_aggregated", ABLATE_LAUNCH(place_by_counter),
          counted_by("two_stage_warp_aggregated", "fused"),
          "two_stage_skip_zero, with one shared-memory atomic for all lanes of a warp that share a bucket",
          fused_or_split()},
         {"cluster",
          ABLATE_LAUNCH(place_by_counter),
          counted_by("cluster", "fused"),
          "two_stage_skip_zero, with one commit per cluster of eight blocks, through "
          "distributed shared memory",
          {.only_where = fused_regions(), .minimum_compute_capability = 90}},
         {"cumsum", ABLATE_LAUNCH(cumsum), counted_by("cumsum", "split"),
          "ranks from block histograms and column sums: insertion without atomics in device memory"},
         {"two_stage_no_rollback", ABLATE_LAUNCH(place_by_counter),
          counted_by("two_stage", "fused").with({{"rollback", "none"}}),
          "two_stage without decrements: counters keep points that overflow and claims that come too late",
          without_rollback()},
         {"two_stage_skip_zero_no_rollback", ABLATE_LAUNCH(place_by_counter),
          counted_by("two_stage_skip_zero", "fused").with({{"rollback", "none"}}),
          "two_stage_skip_zero without decrements: counters keep points that overflow and "
          "claims that come too late",
          without_rollback()},
         {"global_atomic_no_rollback", ABLATE_LAUNCH(place_by_counter),
          counted_by("global_atomic", "fused").with({{"rollback", "none"}}),
          "global_atomic without decrements: counters keep points that overflow and claims that come too late",
          without_rollback()},
         {"two_stage_resident",
          ABLATE_LAUNCH(two_stage_resident),
          counted_by("two_stage", "resident").with({{"rollback", "none"}}),
          "two-stage counters with all phases in one cooperative launch; no rollback",
          {.only_where = strict_in({"pipeline"})}},
         {"sort_and_chunk",
          ABLATE_LAUNCH(sort_and_chunk),
          counted_by("sort_and_chunk", "split"),
          "points sorted by their full 16-bit key and cut into chunks of the capacity",
          {.only_where = strict_in({"pipeline", "kernels"}),
           .takes = {{"key_bits", {"10", "11", "12", "13"}}}},
          ABLATE_LAUNCH(tell_sorted)},
         {"sort_and_chunk_resident",
          ABLATE_LAUNCH(sort_and_chunk_resident),
          counted_by_key("12"),
          "points sorted by the leading 12 bits of their key and cut into chunks of the capacity, in one "
          "cooperative launch",
          {.only_where = strict_in({"pipeline"}),
           .takes = {{"key_bits", {"10", "11", "13"}}, {"holds", {"coordinates"}}}},
          ABLATE_LAUNCH(tell_sorted)},
         {"sort_and_chunk_coordinates",
          ABLATE_LAUNCH(sort_and_chunk_resident),
          counted_by_key("10").with({{"holds", "coordinates"}}),
          "sort_and_chunk_resident+key_bits=10, whose blocks hold only coordinates in shared memory, so "
          "that twice as many points fit",
          {.only_where = strict_in({"pipeline"}), .takes = {{"key_bits", {"11", "12", "13"}}}},
          ABLATE_LAUNCH(tell_sorted)},
     }});

}  // namespace ablate::psh_bucket
