// backbone: a forward pass of a point cloud backbone. Axes, and one entry a variant; scenes, buffers, inputs,
// check and work model are in variants/backbone/.
#include "kernels/backbone/backbone.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/inputs/input_errors.h"
#include "harness/registry/define.h"
#include "kernels/backbone/launches.h"
#include "kernels/backbone/networks.h"
#include "oracles/backbone/checked_problem.h"
#include "oracles/backbone/launches.h"
#include "variants/backbone/buffers.h"
#include "variants/backbone/forms.h"
#include "variants/backbone/prepare.h"
#include "variants/backbone/scene.h"
#include "variants/backbone/switches.h"
#include "variants/backbone/variants.h"
#include "variants/backbone/voxels.h"
#include "variants/cloud_axes.h"
#include "variants/cloud_batch.h"
#include "variants/phases.h"

namespace ablate::backbone {
namespace {

/// Of all instances: rows and elements stay below what the parts take.
constexpr std::int64_t max_points = std::int64_t{1} << 20;

std::optional<std::string> refuses(const axis_values& at) {
  if (auto reason = refuses_windows(at)) return reason;
  if (auto reason = refuses_step_launches(at)) return reason;
  if (auto reason = refuses_drop(at)) return reason;
  const model& m = model_of(at.word("model"));
  if (pass_at(at) == pass_kind::training && (at.word("align") == "bucket" || at.word("pad_keys") == "masked"))
    return "pass=training: gradients are those of whole windows, whose padding counts as keys";
  if (m.pools_in_buckets && at.word("host") == "once")
    return fmt::format("host=once is for sizes of pools by grid: {}'s follow from the points", m.name);
  if (m.kind == family::ptv3 && at.word("points_as") == "raw")
    return fmt::format("points_as=raw: {} needs distinct cells", m.name);
  if (!m.in_buckets && at.word("order_by") != "cut")
    return fmt::format("order_by={} is for rows in buckets: {} has its own orders", at.word("order_by"),
                       m.name);
  if (!m.in_buckets && (at.word("align") != "published" || at.word("pad_keys") != "attended"))
    return fmt::format("align={}/pad_keys={}: windows of {} are gathered, without padding", at.word("align"),
                       at.word("pad_keys"), m.name);
  if (auto reason = refuses_all_points(at)) return reason;
  const long points = at.integer("points");
  return points == 0 ? std::nullopt : refuses_batch(points, max_points, at);
}

std::function<network(layer_form)> networks_at(const model& m, const std::vector<std::uint32_t>& ends,
                                               const axis_values& at, const input_library& inputs) {
  window_shape shape = windows_at(at);
  const std::string& align = at.word("align");
  shape.align = align == "bucket"   ? alignment::bucket
                : align == "window" ? alignment::window
                                    : alignment::published;
  shape.masks_padding = at.word("pad_keys") == "masked";
  const pass_kind pass = pass_at(at);
  const drop_path drops = drops_at(at, inputs);
  if (m.kind == family::flash3d)
    return [=](layer_form form) { return network_of(m, ends, shape, form, pass, drops); };
  const grid_levels grid = grid_levels_at(at, inputs, !m.in_buckets);
  const index_order order = at.word("host") == "once" ? index_order::first : index_order::as_needed;
  return [=](layer_form form) { return network_of_ptv3(m, grid, shape, form, order, pass, drops); };
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  model m = model_of(at.word("model"));
  m.head_width = static_cast<int>(at.integer("head_width"));
  const std::vector<std::uint32_t> ends = ends_at(at, inputs);
  if (ends.back() > max_points)
    throw input_unfit(fmt::format("distribution '{}'", at.word("distribution")),
                      fmt::format("{} points", ends.back()), fmt::format("expected at most {}", max_points));
  checked_problem p = problem_of(networks_at(m, ends, at, inputs), at);
  p.order = at.word("order_by") == "cut" ? point_order::cut : point_order::psh;
  return p;
}

workload prepare_scene(const checked_problem& p, const axis_values& at, const input_library& inputs) {
  const network& n = *p.by_library;
  given_inputs given;
  if (n.of.in_buckets) {
    half_scene halves = half_scene_at(at, inputs);
    given.coordinates = std::move(halves.coordinates);
    given.facts.update(halves.facts);
  }
  if (n.is_ptv3()) {
    voxel_scene voxels = voxels_at(at, inputs);
    given.x = std::move(voxels.features);
    given.cells = std::move(voxels.cells);
    if (n.pools_by_grid()) given.positions = std::move(voxels.positions);
    given.facts.update(voxels.facts);
  }
  return prepare(p, std::move(given), inputs);
}

// Functions, not constants: operations may be defined before the constants of another file are initialized.
std::vector<std::string> offered_models() {
  return {"flash46",
          "flash19",
          "ptv3",
          "ptv3_without_positions",
          "ptv3_one_order",
          "flash129",
          "flash129_deep",
          "flash19_gelu",
          "small",
          "small_ptv3",
          "ptv3_in_buckets",
          "ptv3_bucket_pools",
          "small_in_buckets",
          "small_bucket_pools"};
}
std::vector<std::string> models_that(bool (*are)(const model&)) {
  std::vector<std::string> names = offered_models();
  std::erase_if(names, [&](const std::string& name) { return !are(model_of(name)); });
  return names;
}
bool is_flash3d(const model& m) { return m.kind == family::flash3d; }
bool pools_by_grid(const model& m) { return !m.pools_in_buckets; }
bool pools_in_buckets(const model& m) { return m.pools_in_buckets; }

}  // namespace

static std::vector<form_of_pass> forms_of_a_backbone() {
  std::vector<form_of_pass> forms = forms_of_a_pass();
  std::ranges::find(forms, "published_attention", &form_of_pass::name)
      ->limits.only_where.push_back({"model", models_that(is_flash3d)});
  forms.push_back({"published_index",
                   ABLATE_LAUNCH(forward),
                   by_library.with({{"index", "published"}}),
                   "layers by cuBLASLt; PTv3's codes, orders and pools in the steps of the published code",
                   {.only_where = {{"model", models_that(pools_by_grid)}},
                    .minimum_compute_capability = 90,
                    .takes = {{"layers", {"cublaslt_separate", "own", "per_layer_best"}}}}});
  forms.push_back({"fused_steps",
                   ABLATE_LAUNCH(forward),
                   fused_steps,
                   "each layer by the faster kernel, PDL; one launch clears for all steps; "
                   "PTv3's norms, residuals and moves take two launches per block",
                   {.only_where = only_for("inference"), .minimum_compute_capability = 90}});
  forms.push_back({"fused_steps_exp2_bf16x2",
                   ABLATE_LAUNCH(forward),
                   fused_steps_exp2_bf16x2,
                   "fused steps, PDL, 6 of 16 exponentials of attention in bf16 pairs",
                   {.only_where = only_for("inference"),
                    .minimum_compute_capability = 90,
                    .takes = {{"tiles", {"wave_fit", "wave_fit_overlapped"}}, {"prefetch", {"weights"}}}}});
  forms.push_back(
      {"pools_second_stream",
       ABLATE_LAUNCH(forward),
       pools_second_stream,
       "fused steps, exponentials in bf16 pairs, tiles that fill the last wave; the index of pools on "
       "a second stream beside the first level's blocks",
       {.only_where = only_for("inference"),
        .minimum_compute_capability = 90,
        .takes = {{"tiles", {"wave_fit_overlapped"}}, {"prefetch", {"weights"}}}}});
  forms.push_back({"fused_steps_mma",
                   ABLATE_LAUNCH(forward),
                   fused_steps_on_mma,
                   "each layer by cuBLASLt or mma.sync; one launch clears for all steps; PTv3's norms, "
                   "residuals and moves take two launches per block",
                   {.only_where = only_for("inference")}});
  std::ranges::find(forms, "pools_second_stream", &form_of_pass::name)
      ->limits.only_where.push_back({"model", models_that(pools_in_buckets)});
  // Partial windows are for one core.
  for (form_of_pass& form : forms)
    if (form.switches.word("attention") != "mma_online") {
      form.limits.only_where.push_back({"align", {"published", "window"}});
      form.limits.only_where.push_back({"pad_keys", {"attended"}});
    }
  return forms;
}

const bool defined = define<problem, checked_problem>(
    {.name = "backbone",
     .description = "a pass of a point cloud backbone, forward or in training: order, blocks of attention "
                    "and MLP, pooling",
     .axes = {axis::of_words(
                  "model", offered_models(),
                  "flash19: Flash3D as published, 19.3 M parameters; flash46: 46.7 M; flash129: 131.2 M, "
                  "wide; flash129_deep: 128.6 M; flash19_gelu: with PTv3's MLPs; ptv3: 46.2 M; "
                  "without_positions: without the blocks' convolutions; one_order: that with one order, not "
                  "four; in_buckets: that on rows in Flash3D's bucket order; bucket_pools: that with "
                  "Flash3D's pools; small: narrow enough for an fp64 reference"),
              points_axis(1 << 20, 124087, "points of an instance"),
              axis::of_integers("batch", 1, 64, 1, "instances"), instance_sizes_axis(),
              distribution_axis("lidar"),
              axis::of_words("points_as", {"voxels", "raw"}, "the first point of each cell of 5 cm, or all"),
              axis::of_words("order_by", {"cut", "psh"},
                             "the bucket order: cut by z key, or hashed by xor as published"),
              window_axis(), bucket_axis(), head_width_axis(),
              axis::of_words(
                  "align", {"published", "window", "bucket"},
                  "to what rows in buckets are padded: six windows at the first level and one at others; "
                  "as many as are interleaved there; a bucket, which leaves a short last window")
                  .silent_at_default(),
              axis::of_words("pad_keys", {"attended", "masked"},
                             "attended: padding counts as keys, as published; masked: it has weight 0, "
                             "except in windows of padding alone")
                  .silent_at_default(),
              pass_axis(), drop_axis(),
              axis::of_words(
                  "host", {"absent", "published", "once", "graph"},
                  "absent: nothing waits, sizes that follow from the voxels are known beforehand; published: "
                  "the host waits where the published code does; once: the host waits for PTv3's index, "
                  "which comes first; graph: absent, in a CUDA graph; the last three by the host's clock"),
              step_launches_axis()},
     .baseline = "library",
     .presets = {.published = {"published_attention", "published_index"},
                 .best = {"per_layer_best", "fused_steps_exp2_bf16x2", "fused", "library",
                          "per_layer_best_exp2_bf16x2", "second_stream", "per_layer_best+pdl",
                          "exp2_bf16x2_private_dq", "pools_second_stream", "exp2_bf16x2_four_groups"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare_scene,
     .refuses = refuses,
     .clock = clock,
     .compare = ABLATE_LAUNCH(compare_steps),
     .switches = switches_of_a_backbone(),
     .variants = forms_of_a_backbone()});

}  // namespace ablate::backbone
