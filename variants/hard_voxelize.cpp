// hard_voxelize: up to K points of each of up to V voxels. Axes, inputs, check and work model; one entry per
// variant.
#include "kernels/hard_voxelize/hard_voxelize.h"

#include <fmt/format.h>

#include <memory>

#include "harness/registry/define.h"
#include "kernels/hard_voxelize/launches.h"
#include "oracles/hard_voxelize/checks.h"
#include "oracles/hard_voxelize/reference.h"
#include "variants/point_scenes.h"

namespace ablate::hard_voxelize {
namespace {

constexpr std::int64_t max_points = 1 << 28, max_members = std::int64_t{1} << 31;

problem problem_at(const axis_values& at, const input_library& inputs) {
  problem p;
  static_cast<point_grid&>(p) = grid_at(at, inputs);
  p.points_per_voxel = static_cast<int>(at.integer("points_per_voxel"));
  p.max_voxels = static_cast<int>(at.integer("max_voxels"));
  p.kept = at.word("kept") == "first" ? choice::first : choice::any;
  return p;
}

std::optional<std::string> refuses(const axis_values& at) {
  const auto why = refuses_scene(at);
  if (why) return why;
  const std::int64_t batch = at.integer("batch");
  if (batch * at.integer("points") > max_points)
    return fmt::format("{} points: at most {}", batch * at.integer("points"), max_points);
  if (batch * at.integer("max_voxels") * at.integer("points_per_voxel") >= max_members)
    return "the members of all voxels must be below 2^31";
  return refuses_wide_batch(at);
}

bound_buffers buffers(problem& p) {
  const auto all_voxels = static_cast<std::size_t>(p.batch) * static_cast<std::size_t>(p.max_voxels);
  const auto output = buffer_role::output;
  const auto poison = buffer_reset::poison;
  return {bind("points", p.points, 3 * sizeof(float) * static_cast<std::size_t>(p.all_points()),
               buffer_role::input),
          bind("voxel_cell", p.voxel_cell, 4 * all_voxels, output, poison),
          bind("stored", p.stored, 4 * all_voxels, output, poison),
          bind("members", p.members, 4 * static_cast<std::size_t>(p.all_members()), output, poison),
          bind("voxels", p.voxels, 4 * static_cast<std::size_t>(p.batch), output, poison),
          bind("scratch", p.scratch, scratch_bytes(p), buffer_role::scratch, poison)};
}

struct known_inputs {
  std::vector<float> xyz;

  problem on_host(problem p) const {
    p.points = xyz.data();
    return p;
  }
};

/// Expected counts, whichever points are kept.
struct voxel_counts {
  std::int64_t occupied = 0, voxels = 0, kept_points = 0;

  voxel_counts(const problem& p, const std::vector<std::int64_t>& cell_of_point) {
    std::vector<std::int32_t> points_in(static_cast<std::size_t>(p.all_cells()));
    std::vector<std::int64_t> of_cloud(static_cast<std::size_t>(p.batch));
    // In the order of first points, as choice::first keeps them.
    for (const std::int64_t cell : cell_of_point) {
      if (cell < 0) continue;
      std::int64_t& in_cloud = of_cloud[static_cast<std::size_t>(cell / p.cells_per_cloud())];
      std::int32_t& here = points_in[static_cast<std::size_t>(cell)];
      if (here == 0) {
        ++occupied;
        if (in_cloud == p.max_voxels) {
          here = cut;
          continue;
        }
        ++in_cloud, ++voxels;
      }
      if (here != cut && here < p.points_per_voxel) ++here, ++kept_points;
    }
  }

 private:
  static constexpr std::int32_t cut = -1;
};

// Compulsory: every point once, every row of an existing voxel, and their counts.
work_model work(const problem& p, const voxel_counts& counts) {
  const double written = 4.0 * (p.points_per_voxel + 2) * static_cast<double>(counts.voxels);
  return {.bytes = 12.0 * static_cast<double>(p.all_points()) + written,
          .written_bytes = written,
          .flops = 6.0 * static_cast<double>(p.all_points()),
          .flop_pipe = "fma_f32"};
}

workload prepare(const problem& p, const axis_values& at, const input_library& inputs) {
  auto known = std::make_shared<known_inputs>();
  scene_points scene = points_at(p, at, inputs);
  known->xyz = std::move(scene.xyz);
  const voxel_counts counts(p, scene.cells);

  workload w;
  w.contents = contents_of(p, buffers, {{"points", std::as_bytes(std::span(known->xyz))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) -> check_result {
    const auto violation = violated(known->on_host(attached(p, buffers, outputs)));
    return violation ? check_result{false, *violation} : check_result{.ok = true};
  };
  w.reference = [p, known](std::span<void* const> host) {
    reference(known->on_host(attached(p, buffers, host)));
  };
  w.work = work(p, counts);
  w.input = std::move(scene.facts);
  w.input["occupied"] = counts.occupied;
  w.input["voxels"] = counts.voxels;
  w.input["kept_by_first"] = counts.kept_points;
  w.storage = known;
  return w;
}

switches exact(const char* by, const char* slots) { return {{"exact", "on"}, {"by", by}, {"slots", slots}}; }
switches inexact(const char* merge, const char* slots) {
  return {{"exact", "off"}, {"by", "atomics"}, {"slots", slots}, {"merge", merge}};
}
std::vector<switch_range> with_pdl() { return {{"pdl", {"on"}, 90}}; }
axis_conditions any_kept() { return {{"kept", {"any"}}}; }

}  // namespace

const bool defined = define<problem>(
    {.name = "hard_voxelize",
     .description = "up to K points of each of up to V voxels, as mmcv's and spconv's hard voxelization",
     .axes = scene_axes_between(
         {axis::of_integers("points_per_voxel", 1, 1024, 35, "points that a voxel keeps (K)"),
          axis::of_integers("max_voxels", 1, 1 << 24, 20000, "voxels that a cloud keeps (V)"),
          axis::of_words("kept", {"any", "first"},
                         "which points and voxels: any; or the first, in the order of the points")},
         {}),
     .baseline = "hash_atomic",
     .presets = {.published = {"hash_atomic"},
                 .best = {"hash_merged+pdl", "cells_ordered", "hash_merged", "cells_merged"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .switches =
         {{.name = "exact",
           .description = "which points and voxels are kept",
           .values = {{"on", "the first, in the order of the points"}, {"off", "any, by order of arrival"}},
           .counter = "passes over the points, up"},
          {.name = "by",
           .description = "what gives a point its place in its voxel",
           .values = {{"atomics", "a counter of the voxel, drawn by returning atomics"},
                      {"scan", "a comparison with all points before it"},
                      {"sort", "its place in a run of points sorted by voxel"},
                      {"minimum", "an exchange into the voxel's ascending row by atomic minima"}},
           .counter =
               "returning atomics, from 2 per point to none where points are sorted; loads, to thousands "
               "per point where they are compared",
           .source = "atomics: spconv's PointToVoxel; scan: mmcv's deterministic hard_voxelize"},
          {.name = "slots",
           .description = "where a voxel is found while points arrive",
           .values = {{"hash", "in a hash table of cells"},
                      {"cells", "at its cell: nothing to probe, all cells to clear"},
                      {"none", "nowhere: voxels are runs or compared"}},
           .counter = "probes per point, to none; bytes cleared, up to all cells"},
          only_with(
              "by", {"atomics"},
              {.name = "merge",
               .description = "lanes that draw places together",
               .values = {{"none", "each by itself"},
                          {"warp", "those of a warp whose points lie in one voxel"}},
               .counter =
                   "returning atomics, from 2 per point to one per voxel and warp; launches, from 5 to 3"}),
          {.name = "pdl",
           .description = "whether a kernel starts while the one before still runs: programmatic dependent "
                          "launch",
           .values = {{"on", "it does"}, {"off", "it waits"}},
           .counter = "time between kernels, to none"}},
     .variants = {
         {"hash_atomic",
          ABLATE_LAUNCH(hash_atomic),
          inexact("none", "hash"),
          "hash table of cells; each point draws its place with a returning atomic, as spconv does",
          {.only_where = any_kept()}},
         {"hash_merged",
          ABLATE_LAUNCH(merged_atomic),
          inexact("warp", "hash"),
          "hash table of cells; lanes of one voxel draw places together, slot and place are kept for the "
          "second kernel",
          {.only_where = any_kept(), .takes = with_pdl()}},
         {"cells_merged",
          ABLATE_LAUNCH(merged_atomic),
          inexact("warp", "cells"),
          "a slot for every cell; lanes of one voxel draw places together, slot and place are kept for the "
          "second kernel",
          {.only_where = any_kept(), .takes = with_pdl()}},
         {"quadratic", ABLATE_LAUNCH(quadratic), exact("scan", "none"),
          "each point scans all points before it, one thread numbers the voxels, as in "
          "mmcv's deterministic path"},
         {"sorted", ABLATE_LAUNCH(sorted), exact("sort", "none"),
          "points sorted by voxel; voxels numbered by a prefix sum over their first points"},
         {"hash_ordered",
          ABLATE_LAUNCH(ordered_slots),
          exact("minimum", "hash"),
          "hash table of cells; members of a voxel kept in order by atomic minima, without sorting",
          {.takes = {{"slots", {"cells"}}}}},
         {"cells_ordered", ABLATE_LAUNCH(ordered_slots), exact("minimum", "cells"),
          "a slot for every cell; members of a voxel kept in order by atomic minima, without sorting"},
     }});

}  // namespace ablate::hard_voxelize
