// pool: points to clusters and clusters to one row each, with unpooling and gradients. Axes, and one entry a
// variant; problem, scenes, buffers, inputs, check, quality and work model are in variants/pool/.
#include "kernels/pool/pool.h"

#include "harness/registry/define.h"
#include "kernels/pool/launches.h"
#include "oracles/pool/launches.h"
#include "variants/cloud_axes.h"
#include "variants/cloud_batch.h"
#include "variants/pool/buffers.h"
#include "variants/pool/prepare.h"
#include "variants/pool/problem.h"
#include "variants/pool/switches.h"

namespace ablate::pool {
namespace {

/// The index, for all that works on rows; for gradients of a minimum or maximum its winners too, for
/// finishing the pooled rows.
std::optional<checked_problem> ahead(const checked_problem& p) {
  if (p.first <= phase::index) return std::nullopt;
  checked_problem before = p;
  before.first = before.last = phase::index;
  before.host = host_role::absent;
  if (p.does(phase::finish) && !p.does(phase::reduce)) before.last = phase::reduce;
  if (p.does(phase::reduce_backward) && p.selects()) before.last = phase::reduce;
  return before;
}

region_clock clock(const checked_problem& p) {
  if (p.host == host_role::absent) return region_clock::device;
  return p.host == host_role::graph ? region_clock::host_graph : region_clock::host;
}

const switches rows_by_vectors = {
    {"reduction", "vec16"}, {"finish", "separate"}, {"winner", "kept"}, {"members", "lists"}};
const switches rows_by_warps = rows_by_vectors.with({{"reduction", "warp_row"}});

switches in_bucket(const char* sort, const char* blocks, const switches& rows) {
  return switches{{"index", sort}, {"blocks", blocks}, {"smem_request", "needed"}, {"launch", "each"}}.with(
      {{"reduction", rows.word("reduction")},
       {"finish", rows.word("finish")},
       {"winner", rows.word("winner")},
       {"members", rows.word("members")}});
}
const switches by_counting = in_bucket("counting_sort", "computed", rows_by_vectors);
const switches as_published = in_bucket("counting_sort", "arrival", rows_by_warps)
                                  .with({{"members", "table"}, {"smem_request", "max"}});
const switches at_once = by_counting.with({{"launch", "one"}, {"finish", "fused"}, {"prefetch_kib", "0"}});
const switches batched =
    by_counting.with({{"launch", "one"}, {"finish", "fused"}, {"clusters_at_once", "2"}, {"gelu", "erf"}});

switches on_grid(const char* index, const switches& rows) {
  return switches{{"index", index}, {"launch", "each"}}.with({{"reduction", rows.word("reduction")},
                                                              {"finish", rows.word("finish")},
                                                              {"winner", rows.word("winner")},
                                                              {"members", rows.word("members")}});
}
const switches by_flags = on_grid("flags_of_orders", rows_by_vectors);

variant_limits where(const char* clusters, std::vector<std::string> regions = {}) {
  axis_conditions conditions = {{"clusters", {clusters}}};
  if (!regions.empty()) conditions.emplace_back("region", std::move(regions));
  return {.only_where = std::move(conditions)};
}

variant_limits taking(std::vector<switch_range> ranges, variant_limits limits) {
  limits.takes = std::move(ranges);
  return limits;
}

/// The rows' phases read it, whatever made the index.
switch_range or_warp_row() { return {"reduction", {"warp_row"}}; }

/// The index requests it.
switch_range or_more_shared() {
  return {"smem_request", {"100", "164", "max"}, 80, {{"region", {"all", "index"}}}};
}

/// After an index whose launches do not end with it.
switch_range or_warp_row_in_all() { return {"reduction", {"warp_row"}, 80, {{"region", {"all"}}}}; }

const axis_conditions of_means = {{"reduce", {"mean"}}};

variant_limits where_one_curve() { return {.only_where = {{"clusters", {"grid"}}, {"curves", {"1"}}}}; }

variant_limits on_hopper(variant_limits limits) {
  limits.minimum_compute_capability = 90;
  return limits;
}

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "pool",
     .description = "points to clusters and clusters to one row each, within buckets or by a coarser grid",
     .axes =
         {axis::of_words("clusters", {"in_bucket", "three_steps", "grid"},
                         "in_bucket: neighbors on a block's Morton curve; three_steps: rows of a block by "
                         "the steps that the paper describes; grid: the points of a cell of a coarser grid"),
          points_axis(1 << 22, 124087, "points of an instance"),
          axis::of_integers("batch", 1, max_instances, 1, "instances"), instance_sizes_axis(),
          distribution_axis("lidar"),
          axis::of_words("points_as", {"voxels", "raw"}, "the first point of each cell of 5 cm, or all"),
          axis::of_words("order_by", {"cut", "psh", "hilbert"},
                         "bucket order: cut by z key; hashed by xor; along a Hilbert curve. A grid has "
                         "the points as they come"),
          axis::of_words("ratio", {"2", "3", "4", "8"},
                         "members of a cluster in buckets; stride of the grid, or its mean number of "
                         "members with equal=ratio"),
          axis::of_words("reduce", {"mean", "sum", "min", "max"}, "of the members' features"),
          axis::of_integers("channels", 8, max_channels, 64, "bf16 of a row; a multiple of 8"),
          axis::of_words("curves", {"4", "1"}, "orders that a grid's points have and its clusters get"),
          axis::of_words("equal", {"cells", "ratio"},
                         "what a grid has in common with buckets: cells of 5 cm, coarser by the ratio; or "
                         "as many clusters, by cells as large as that takes"),
          axis::of_words("rotate", {"off", "on"}, "each block turned at random before it is sorted"),
          axis::of_integers("pad", 1, 1 << 16, 1, "rows of clusters in buckets are padded to a multiple"),
          axis::of_words("pass", {"inference", "training"}, "training keeps the winners of min and max"),
          axis::of_words("host", {"absent", "published", "graph"},
                         "absent: nothing waits, counts that the published steps read are known; "
                         "published: these wait, timed by the host's clock; graph: absent, in a CUDA "
                         "graph, by the host's clock"),
          axis::of_words(
              "region",
              {"all", "order", "index", "reduce", "finish", "unpool", "reduce_backward", "unpool_backward"},
              "what is timed: index, reduction, batch norm and GELU; the bucket order; or one step alone")},
     .baseline = "counting_sort_published",
     .presets = {.published = {"counting_sort_published", "torch_steps"},
                 .best = {"counting_sort", "flags_of_orders", "flags_of_orders_fused",
                          "counting_sort_batched+gelu=power", "counting_sort_fused",
                          "flags_of_orders_one_launch", "flags_of_orders_pdl", "counting_sort_batched"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .ahead = ahead,
     .keeps_ahead = true,
     .clock = clock,
     .compare = ABLATE_LAUNCH(tell_promises),
     .switches = switches_of_pool(),
     .variants = {
         {"counting_sort_published", ABLATE_LAUNCH(counting_sort_published), as_published,
          "as published: 32-bit counters, serial scan, blocks in arrival order, a prefilled table, all "
          "shared memory, one warp per row",
          taking({{"smem_request", {"needed", "100", "164"}}, {"blocks", {"computed"}}}, where("in_bucket"))},
         {"counting_sort", ABLATE_LAUNCH(counting_sort), by_counting,
          "counting_sort+reduction=warp_row, with 16 bytes per lane in the reduction",
          taking({or_warp_row(), or_more_shared()}, where("in_bucket"))},
         {"counting_sort_searched", ABLATE_LAUNCH(counting_sort), by_counting.with({{"winner", "searched"}}),
          "counting_sort, with winners of minima and maxima searched again for the gradient",
          where("in_bucket", {"reduce_backward"})},
         {"counting_sort_fused", ABLATE_LAUNCH(counting_sort), by_counting.with({{"finish", "fused"}}),
          "counting_sort, with batch norm and GELU in the reduction", where("in_bucket", {"all"})},
         {"counting_sort_one_launch", ABLATE_LAUNCH(counting_sort_one_launch), at_once,
          "counting_sort_fused in one launch: a block reduces the rows that it has sorted",
          taking({{"prefetch_kib", {"32", "64", "256"}}}, where("in_bucket", {"all"}))},
         {"counting_sort_batched", ABLATE_LAUNCH(counting_sort_batched), batched,
          "counting_sort_one_launch, where a thread stays on its channels and loads two clusters at once",
          taking({{"gelu", {"power"}},
                  {"clusters_at_once", {"1"}, 80, of_means},
                  {"prefetch_kib", {"256"}, 80, of_means}},
                 where("in_bucket", {"all"}))},
         {"counting_sort_stable", ABLATE_LAUNCH(counting_sort_stable),
          by_counting.with({{"index", "radix_sort"}}),
          "counting_sort, with a stable radix sort of each block: every run gives the same bits",
          taking({or_warp_row(), or_more_shared()}, where("in_bucket"))},
         {"three_steps", ABLATE_LAUNCH(three_steps), by_counting.with({{"index", "three_steps"}}),
          "rows hashed to clusters, empty clusters allocated, then a search for the nearest center with "
          "room, as described in the paper",
          taking({or_warp_row()}, where("three_steps"))},
         {"torch_steps", ABLATE_LAUNCH(torch_steps), on_grid("torch_steps", rows_by_warps),
          "as published: shift, unique, two sorts, sums, heads, then a sort and a scatter "
          "per curve; one warp per row",
          taking({{"reduction", {"vec16"}}}, where("grid"))},
         {"sort_packed", ABLATE_LAUNCH(sort_packed), on_grid("sort_packed", rows_by_vectors),
          "one sort of words that hold code and row, then flags, then one sort of all new orders",
          taking({or_warp_row()}, where("grid"))},
         {"hash_table", ABLATE_LAUNCH(by_hash_table), on_grid("hash_table", rows_by_vectors),
          "coarser cells inserted into a hash table; the rows that claim a slot are numbered, in no order",
          taking({or_warp_row()}, where_one_curve())},
         {"flags_of_orders", ABLATE_LAUNCH(flags_of_orders), by_flags,
          "no sort: flags where codes change along the existing orders, one scan per curve",
          taking({or_warp_row()}, where("grid"))},
         {"flags_of_orders_fused", ABLATE_LAUNCH(flags_of_orders), by_flags.with({{"finish", "fused"}}),
          "flags_of_orders, with batch norm and GELU in the reduction",
          taking({{"launch", {"one"}}, {"launch", {"pdl"}, 90}}, where("grid", {"all"}))},
         {"flags_of_orders_pdl", ABLATE_LAUNCH(flags_of_orders), by_flags.with({{"launch", "pdl"}}),
          "flags_of_orders, whose second launch begins while the first runs",
          on_hopper(taking({or_warp_row_in_all()}, where("grid", {"index", "all"})))},
         {"flags_of_orders_one_launch", ABLATE_LAUNCH(flags_of_orders), by_flags.with({{"launch", "one"}}),
          "flags_of_orders, with the index in one launch: the other curves wait for the first within it",
          taking({or_warp_row_in_all()}, where("grid", {"index", "all"}))},
     }});

}  // namespace ablate::pool
