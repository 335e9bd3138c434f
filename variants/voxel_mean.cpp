// voxel_mean: the mean of point features in each cell of a grid. Axes, inputs, oracle check and work model;
// one entry per variant.
#include "kernels/voxel_mean/voxel_mean.h"

#include <memory>

#include "harness/inputs/random.h"
#include "harness/registry/define.h"
#include "kernels/voxel_mean/launches.h"
#include "oracles/voxel_mean/checks.h"
#include "oracles/voxel_mean/reference.h"
#include "variants/bias_figures.h"
#include "variants/point_scenes.h"
#include "variants/voxel_mean/switches.h"

namespace ablate::voxel_mean {
namespace {

problem problem_at(const axis_values& at, const input_library& inputs) {
  problem p;
  static_cast<point_grid&>(p) = grid_at(at, inputs);
  p.features = static_cast<int>(at.integer("features"));
  p.clears_grid = at.word("region") == "clear_kernel";
  return p;
}

bound_buffers buffers(problem& p) {
  const auto all = static_cast<std::size_t>(p.all_points()), cells = static_cast<std::size_t>(p.all_cells()),
             width = static_cast<std::size_t>(p.features);
  const buffer_reset before = p.clears_grid ? buffer_reset::poison : buffer_reset::zeros;
  return {
      bind("points", p.points, 3 * sizeof(float) * all, buffer_role::input),
      bind("features", p.point_features, sizeof(float) * width * all, buffer_role::input),
      bind("mean", p.mean, sizeof(float) * width * cells, buffer_role::output, before),
      bind("count", p.count, sizeof(std::int32_t) * cells, buffer_role::output, before),
      bind("scratch", p.scratch, scratch_bytes(p), buffer_role::scratch, buffer_reset::poison),
      bind("found_cells", p.found_cells, found_cells_bytes(p), buffer_role::scratch, buffer_reset::poison)};
}

/// From −8 to 8, both signs, with 24 random bits each: sums round, and cancel.
std::vector<float> random_features(std::int64_t values, std::uint64_t seed) {
  random_stream random(seed, "features");
  std::vector<float> all;
  for (std::int64_t i = 0; i < values; ++i)
    all.push_back(static_cast<float>(static_cast<std::int64_t>(random.next() >> 40) - (1 << 23)) * 0x1p-20f);
  return all;
}

struct known_inputs {
  std::vector<float> xyz, features;
  std::unique_ptr<exact_sums> exact;

  problem on_host(problem p) const {
    p.points = xyz.data();
    p.point_features = features.data();
    return p;
  }
};

// Compulsory: every point once, the features of those inside, and every cell once if the region clears,
// otherwise every occupied one.
work_model work(const problem& p, std::int64_t valid, std::int64_t occupied) {
  const double row = 4.0 * p.features, all = static_cast<double>(p.all_points());
  const auto written = static_cast<double>(p.clears_grid ? p.all_cells() : occupied);
  return {.bytes = 12 * all + row * static_cast<double>(valid) + (row + 4) * written,
          .written_bytes = (row + 4) * written,
          .flops = 6 * all + p.features * static_cast<double>(valid + occupied),
          .flop_pipe = "fma_f32"};
}

workload prepare(const problem& p, const axis_values& at, const input_library& inputs) {
  auto known = std::make_shared<known_inputs>();
  scene_points scene = points_at(p, at, inputs);
  known->xyz = std::move(scene.xyz);
  known->features = random_features(p.all_points() * p.features, inputs.seed());
  known->exact = std::make_unique<exact_sums>(known->on_host(p));
  const auto occupied = static_cast<std::int64_t>(known->exact->count.size());

  workload w;
  w.contents = contents_of(p, buffers,
                           {{"points", std::as_bytes(std::span(known->xyz))},
                            {"features", std::as_bytes(std::span(known->features))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) -> check_result {
    const difference d = compared(known->on_host(attached(p, buffers, outputs)), *known->exact);
    if (d.first) return {false, *d.first, d.largest_error, 1};
    return bias_result("mean", tensor_bias(d.signs, accepted_bias_of_fp32))
        .value_or(check_result{true, "", d.largest_error, 1});
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    nlohmann::ordered_json figures;
    add_bias(figures, "mean",
             tensor_bias(compared(known->on_host(attached(p, buffers, outputs)), *known->exact).signs,
                         accepted_bias_of_fp32));
    return figures;
  };
  w.reference = [p, known](std::span<void* const> host) {
    reference(known->on_host(attached(p, buffers, host)));
  };
  w.work = work(p, scene.valid, occupied);
  w.input = std::move(scene.facts);
  w.input["occupied"] = occupied;
  w.storage = known;
  return w;
}

std::optional<std::string> refuses(const axis_values& at) {
  const auto why = refuses_scene(at);
  return why ? why : refuses_wide_batch(at);
}

switches summed(const char* sum, const char* merge, const char* width) {
  return {{"sum", sum}, {"merge", merge}, {"width", width}};
}

axis_conditions only_features(std::vector<std::string> numbers) { return {{"features", std::move(numbers)}}; }
axis_conditions only_vectors() { return only_features({"4", "8", "64"}); }

const std::vector<std::string> no_memory = {"scratch", "found_cells"}, only_sort = {"found_cells"},
                               only_cells = {"scratch"};

}  // namespace

const bool defined = define<problem>(
    {.name = "voxel_mean",
     .description = "the mean of the features of the points in each cell of a grid, and their number",
     .axes = scene_axes_between(
         {axis::of_words("features", {"4", "1", "8", "64"}, "float32 features of a point")},
         {axis::of_words("region", {"clear_kernel", "kernel"},
                         "what is timed: clear and mean, or the mean alone")}),
     .baseline = "point_atomic",
     .presets = {.best = {"warp_match_vec4", "warp_match_vec4+pdl", "warp_match+pdl"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .before = ABLATE_LAUNCH(clear_grid),
     .switches = switches_of_voxel_mean(),
     .variants = {
         {"point_atomic",
          ABLATE_LAUNCH(point_atomic),
          summed("device", "none", "1"),
          "one thread per point, one reduction per feature",
          {.without = no_memory}},
         {"point_atomic_vec2",
          ABLATE_LAUNCH(point_atomic),
          summed("device", "none", "2"),
          "one thread per point, reductions of two floats",
          {.only_where = only_vectors(),
           .minimum_compute_capability = 90,
           .without = no_memory,
           .takes = {{"width", {"4"}}}}},
         {"point_atomic_vec4",
          ABLATE_LAUNCH(point_atomic),
          summed("device", "none", "4"),
          "one thread per point, reductions of four floats",
          {.only_where = only_vectors(), .minimum_compute_capability = 90, .without = no_memory}},
         {"element_atomic",
          ABLATE_LAUNCH(element_atomic),
          summed("device", "none", "1").with({{"thread", "feature"}}),
          "one thread per feature of a point, one reduction each, as in torch-scatter",
          {.only_where = only_vectors(), .without = no_memory}},
         {"warp_match",
          ABLATE_LAUNCH(warp_match),
          summed("device", "warp", "1"),
          "lanes of one cell found by match and summed by shuffles, one reduction "
          "per feature for all of them",
          {.without = no_memory, .takes = {{"pdl", {"on"}, 90}}}},
         {"warp_match_vec2",
          ABLATE_LAUNCH(warp_match),
          summed("device", "warp", "2"),
          "warp_match with reductions of two floats",
          {.only_where = only_vectors(),
           .minimum_compute_capability = 90,
           .without = no_memory,
           .takes = {{"width", {"4"}}, {"pdl", {"on"}, 90}}}},
         {"warp_match_vec4",
          ABLATE_LAUNCH(warp_match),
          summed("device", "warp", "4"),
          "warp_match with reductions of four floats",
          {.only_where = only_vectors(),
           .minimum_compute_capability = 90,
           .without = no_memory,
           .takes = {{"pdl", {"on"}, 90}}}},
         {"row_runs",
          ABLATE_LAUNCH(row_runs),
          summed("device", "run", "1"),
          "lanes across the features; consecutive points of one cell are summed in registers",
          {.only_where = only_features({"64"}), .without = no_memory, .takes = {{"width", {"2", "4"}, 90}}}},
         {"smem_table",
          ABLATE_LAUNCH(smem_table),
          summed("smem", "block", "1").with({{"table_kib", "48"}}),
          "direct-mapped table of 48 KiB in shared memory, with features + 1 words per slot",
          {.without = no_memory, .takes = {{"table_kib", {"12", "24", "96"}}}}},
         {"smem_owners",
          ABLATE_LAUNCH(smem_owners),
          summed("owners", "warp", "1").with({{"clears", "itself"}, {"launch", "one"}}),
          "blocks own cells, pick their points from the cells of all points, and sum in shared memory; one "
          "launch, for scans",
          {.without = only_cells, .takes = {{"copy", {"bulk"}, 90}}}},
         {"sorted",
          ABLATE_LAUNCH(sorted),
          summed("registers", "run", "4"),
          "points sorted by cell, runs summed and divided without atomics: the same bits in every run",
          {.without = only_sort, .same_bits = true}},
     }});

}  // namespace ablate::voxel_mean
