// voxel_pipeline: points to voxel features in three passes or in one kernel. Axes, inputs, oracle check and
// work model; one entry per variant.
#include "kernels/voxel_pipeline/voxel_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "harness/registry/define.h"
#include "kernels/voxel_pipeline/launches.h"
#include "oracles/voxel_pipeline/reference.h"
#include "variants/point_scenes.h"

namespace ablate::voxel_pipeline {
namespace {

problem problem_at(const axis_values& at, const input_library& inputs) {
  const box domain = frame_at(at, inputs).grid;
  problem p;
  p.points = inputs.point_count(at.word("distribution"), at.integer("points"));
  if (p.points > max_points)
    throw input_unfit(fmt::format("distribution '{}'", at.word("distribution")),
                      fmt::format("{} points", p.points), fmt::format("expected at most {}", max_points));
  p.cells = static_cast<int>(at.integer("grid"));
  p.minimum = static_cast<int>(at.integer("minimum"));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    p.origin[axis] = static_cast<float>(domain.origin[axis]);
    p.voxel[axis] = static_cast<float>(domain.size[axis]) / static_cast<float>(p.cells);
  }
  return p;
}

std::optional<std::string> refuses(const axis_values& at) {
  if (at.integer("grid") % brick_edge != 0)
    return fmt::format("grid={}: expected a multiple of {}", at.integer("grid"), brick_edge);
  const auto reason = refuses_frame(at);
  return reason ? reason : refuses_all_points(at);
}

std::size_t feature_bytes(const problem& p) { return sizeof(feature) * static_cast<std::size_t>(p.voxels()); }

bound_buffers buffers(problem& p) {
  return {bind("points", p.xyz, 3 * sizeof(float) * static_cast<std::size_t>(p.points), buffer_role::input),
          bind("begin", p.begin, sizeof(std::uint32_t) * static_cast<std::size_t>(p.bricks() + 1),
               buffer_role::input),
          bind("features", p.features, feature_bytes(p), buffer_role::output, buffer_reset::poison),
          bind("scratch", p.scratch, scratch_bytes(p), buffer_role::scratch, buffer_reset::poison)};
}

struct known_answer {
  sorted_points points;
  std::vector<feature> features;
};

std::string described(const feature& f) {
  return fmt::format("({}, {}, {}) of {} points", f.x, f.y, f.z, f.count);
}

// Compared exactly, counts and means alike: both come from integers, and their quotients are correctly
// rounded.
check_result compared(const problem& p, const std::vector<feature>& expected, const feature* found) {
  const auto [right, wrong] = std::mismatch(expected.begin(), expected.end(), found);
  if (right == expected.end()) return {.ok = true};
  const auto voxel = right - expected.begin();
  return {false,
          fmt::format("voxel ({}, {}, {}): expected {}, found {}", voxel % p.cells, voxel / p.cells % p.cells,
                      voxel / p.cells / p.cells, described(*right), described(*wrong))};
}

workload prepare(const problem& p, const axis_values& at, const input_library& inputs) {
  auto known = std::make_shared<known_answer>();
  const scene_frame frame = frame_at(at, inputs);
  const point_cloud cloud = inputs.cloud({.distribution = at.word("distribution"),
                                          .order = "natural",
                                          .points = at.integer("points"),
                                          .domain = frame.points,
                                          .origin = origin_at(at)});
  known->points = by_brick(p, cloud.xyz);
  known->features.resize(static_cast<std::size_t>(p.voxels()));
  problem host = p;
  host.xyz = known->points.xyz.data();
  host.features = known->features.data();
  reference(host);

  const auto& begin = known->points.begin;
  std::uint32_t fullest = 0;
  for (std::size_t b = 0; b + 1 < begin.size(); ++b) fullest = std::max(fullest, begin[b + 1] - begin[b]);
  const auto kept = std::count_if(known->features.begin(), known->features.end(),
                                  [](const feature& f) { return f.count > 0; });
  workload w;
  const auto xyz_bytes = std::as_bytes(std::span(known->points.xyz)),
             begin_bytes = std::as_bytes(std::span(begin));
  w.contents = contents_of(p, buffers, {{"points", xyz_bytes}, {"begin", begin_bytes}});
  w.check = [known, p](std::span<const std::byte* const> outputs) {
    return compared(p, known->features, attached(p, buffers, outputs).features);
  };
  w.reference = [host](std::span<void* const> host_buffers) {
    problem on_host = host;
    on_host.features = attached(host, buffers, host_buffers).features;
    reference(on_host);
  };
  // Compulsory: points and bricks read once, features written once; traffic between the passes counts as
  // free.
  w.work.bytes = static_cast<double>(xyz_bytes.size() + begin_bytes.size() + feature_bytes(p));
  w.work.written_bytes = static_cast<double>(feature_bytes(p));
  w.input = {{"hash", hash_hex(xyz_bytes.data(), xyz_bytes.size())}};
  add_facts_in_grid({cloud, std::array{std::int64_t{begin.back()}}, frame.grid}, at, inputs, w.input);
  w.input["kept"] = kept;
  w.input["points_of_fullest_brick"] = fullest;
  w.storage = known;
  return w;
}

}  // namespace

const bool defined = define<problem>(
    {.name = "voxel_pipeline",
     .description = "points, sorted by brick, to features of voxels: voxelize, filter, extract",
     .axes = {points_axis(max_points, 131072, "points of the cloud"),
              axis::of_integers("grid", brick_edge, max_cells, 128,
                                "cells along each edge of the grid, a multiple of 8"),
              axis::of_integers("minimum", 1, 1 << 20, 2, "points of a voxel that the filter keeps"),
              distribution_axis("uniform"),
              axis::of_words("frame", {"unit", "vehicle", "fitted"},
                             "box of the grid: cube of 1 m, 102.4 x 102.4 x 8 m around a LiDAR, or the cube "
                             "around the box of a point file's points")},
     .baseline = "passes",
     .presets = {.published = {"smem_fused"}, .best = {"smem_fused"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .switches = {{.name = "smem",
                   .description = "where a brick's voxels are while points are tallied",
                   .values = {{"off", "device memory, by atomics in L2"},
                              {"on", "shared memory, 8 KiB; of passes, written out behind the tally"}},
                   .counter =
                       "DRAM bytes written, from twice those of the features to once; L2 reductions, to none",
                   .source = "RoboCache, shared-memory ablation, section 6, scenario 1"},
                  {.name = "kernels",
                   .description = "kernels of the pipeline",
                   .values = {{"passes", "one per pass, voxels handed on through device memory"},
                              {"two", "one that tallies, and one that filters and extracts features"},
                              {"one", "one, a block per brick, with barriers between the passes"}},
                   .counter = "launches, to one; L2 bytes, down with every pass that another joins"}},
     .variants = {
         {"passes",
          ABLATE_LAUNCH(passes),
          {{"smem", "off"}, {"kernels", "passes"}},
          "one kernel per pass, voxels in device memory",
          {.takes = {{"smem", {"on"}}, {"kernels", {"two"}}}}},
         {"fused",
          ABLATE_LAUNCH(fused),
          {{"smem", "off"}, {"kernels", "one"}},
          "one kernel, one block per brick, voxels in device memory"},
         {"smem_fused",
          ABLATE_LAUNCH(fused),
          {{"smem", "on"}, {"kernels", "one"}},
          "one kernel, one block per brick, which keeps the brick's voxels in shared memory"},
     }});

}  // namespace ablate::voxel_pipeline
