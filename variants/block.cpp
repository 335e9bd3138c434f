// block: one block of a backbone. Axes, and one entry a variant; all else it has in common with backbone:
// variants/backbone/.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "harness/inputs/random_floats.h"
#include "harness/registry/define.h"
#include "kernels/backbone/launches.h"
#include "kernels/backbone/networks.h"
#include "kernels/common/bf16.h"
#include "oracles/backbone/checked_problem.h"
#include "oracles/backbone/launches.h"
#include "variants/backbone/buffers.h"
#include "variants/backbone/forms.h"
#include "variants/backbone/prepare.h"
#include "variants/backbone/switches.h"
#include "variants/backbone/variants.h"
#include "variants/phases.h"

namespace ablate::backbone {
namespace {

bool is_gathered(const axis_values& at) { return at.word("stand") == "gathered"; }

std::optional<std::string> refuses_block(const axis_values& at) {
  if (auto reason = refuses_windows(at)) return reason;
  if (auto reason = refuses_step_launches(at)) return reason;
  if (auto reason = refuses_drop(at)) return reason;
  const long rows = at.integer("rows"), windows = at.integer("window") * at.integer("stride");
  if (rows % windows != 0)
    return fmt::format("rows={} are not whole windows of {}, {} of them interleaved", rows,
                       at.integer("window"), at.integer("stride"));
  if (is_gathered(at) && (at.integer("offset") != 0 || at.integer("stride") != 1))
    return fmt::format("offset={}/stride={}: windows that are gathered follow each other",
                       at.integer("offset"), at.integer("stride"));
  return std::nullopt;
}

/// The row of each slot: all rows, in any order.
std::vector<std::uint32_t> drawn_order(std::int64_t rows, std::uint64_t seed) {
  const std::vector<float> numbers = random_floats(rows, seed, "order");
  std::vector<std::uint32_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t row) { return numbers[row]; });
  return order;
}

checked_problem block_at(const axis_values& at, const input_library& inputs) {
  const scope where{static_cast<int>(at.integer("offset")), static_cast<int>(at.integer("stride"))};
  const family kind = at.word("kind") == "ptv3" ? family::ptv3 : family::flash3d;
  const model m = lone_block(kind, static_cast<int>(at.integer("channels")),
                             static_cast<int>(at.integer("head_width")), where);
  const window_shape shape = windows_at(at);
  const std::int64_t rows = at.integer("rows");
  const std::vector<std::uint32_t> order =
      is_gathered(at) ? drawn_order(rows, inputs.seed()) : std::vector<std::uint32_t>();
  const pass_kind pass = pass_at(at);
  const drop_path drops = drops_at(at, inputs);
  return problem_of(
      [&](layer_form form) { return network_of_block(m, rows, shape, form, order, pass, drops); }, at);
}

/// Rows of unit variance.
workload prepare_rows(const checked_problem& p, const axis_values&, const input_library& inputs) {
  const network& n = *p.by_library;
  std::vector<std::uint16_t> rows;
  const float reach = std::sqrt(3.0f);
  for (const float x : random_floats(n.points() * n.out_channels, inputs.seed(), "x"))
    rows.push_back(bf16_of_float(reach * x));
  return prepare(p, {{}, std::move(rows)}, inputs);
}

}  // namespace

const bool block_defined = define<problem, checked_problem>(
    {.name = "block",
     .description = "one block of a backbone: attention within windows and an MLP, with norms and residuals",
     .axes = {axis::of_words(
                  "kind", {"flash3d", "ptv3"},
                  "x += proj(attention(qkv(norm x))), x += fc2(SwiGLU(fc1(norm x))); or with GELU for "
                  "SwiGLU, without the convolution in front"),
              axis::of_integers("rows", 256, 1 << 18, 24576, "rows, whole windows"),
              axis::of_words("channels", {"128", "32", "64", "256", "512"}, "channels C of a row"),
              window_axis(), bucket_axis(), head_width_axis(),
              axis::of_integers("offset", 0, 1 << 16, 0, "buckets by which the windows are shifted"),
              axis::of_integers("stride", 1, 6, 1, "windows whose buckets lie interleaved"),
              axis::of_words(
                  "stand", {"in_place", "gathered"},
                  "where windows find their rows: as they stand; or Q, K and V are moved to them, and "
                  "outputs back, along any order of the rows")
                  .silent_at_default(),
              pass_axis(), drop_axis(), host_axis(), step_launches_axis()},
     .baseline = "library",
     .presets = {.published = {"published_attention"},
                 .best = {"per_layer_best", "fused", "second_stream",
                          "per_layer_best+attention=hopper_wave_fit", "per_layer_best_exp2_bf16x2"}},
     .problem = block_at,
     .buffers = buffers,
     .prepare = prepare_rows,
     .refuses = refuses_block,
     .clock = clock,
     .compare = ABLATE_LAUNCH(compare_steps),
     .switches = switches_of_a_pass(),
     .variants = forms_of_a_pass()});

}  // namespace ablate::backbone
