// block: one block of a backbone. Axes, and one entry a variant; all else it has in common with backbone:
// variants/backbone/.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "harness/inputs/random_floats.h"
#include "harness/registry/define.h"
#include "kernels/backbone/backbone.h"
#include "kernels/common/bf16.h"
#include "variants/backbone/buffers.h"
#include "variants/backbone/forms.h"
#include "variants/backbone/prepare.h"
#include "variants/backbone/variants.h"

namespace ablate::backbone {
namespace {

std::optional<std::string> refuses_block(const axis_values& at) {
  if (auto reason = refuses_windows(at)) return reason;
  const long rows = at.integer("rows"), windows = at.integer("window") * at.integer("stride");
  if (rows % windows != 0)
    return fmt::format("rows={} are not whole windows of {}, {} of them interleaved", rows,
                       at.integer("window"), at.integer("stride"));
  return std::nullopt;
}

problem block_at(const axis_values& at, const input_library&) {
  const scope where{static_cast<int>(at.integer("offset")), static_cast<int>(at.integer("stride"))};
  const model m =
      lone_block(static_cast<int>(at.integer("channels")), static_cast<int>(at.integer("head_width")), where);
  const window_shape shape = windows_at(at);
  const std::int64_t rows = at.integer("rows");
  return problem_of([&](layer_form form) { return network_of_block(m, rows, shape, form); }, at);
}

/// Rows of unit variance.
workload prepare_rows(const problem& p, const axis_values&, const input_library& inputs) {
  const network& n = *p.by_library;
  std::vector<std::uint16_t> rows;
  const float reach = std::sqrt(3.0f);
  for (const float x : random_floats(n.points() * n.out_channels, inputs.seed(), "x"))
    rows.push_back(bf16_of_float(reach * x));
  return prepare(p, {{}, std::move(rows)}, inputs);
}

}  // namespace

const bool block_defined = define<problem>(
    {.name = "block",
     .description = "one block of a backbone: attention within windows and an MLP, with norms and residuals",
     .axes = {axis::of_words("kind", {"flash3d"},
                             "x += proj(attention(qkv(norm x))), x += fc2(SwiGLU(fc1(norm x)))"),
              axis::of_integers("rows", 256, 1 << 18, 24576, "rows, whole windows"),
              axis::of_words("channels", {"128", "32", "64", "256", "512"}, "channels C of a row"),
              window_axis(), bucket_axis(), head_width_axis(),
              axis::of_integers("offset", 0, 1 << 16, 0, "buckets by which the windows are shifted"),
              axis::of_integers("stride", 1, 6, 1, "windows whose buckets lie interleaved"), host_axis()},
     .baseline = "library",
     .problem = block_at,
     .buffers = buffers,
     .attach = attach,
     .prepare = prepare_rows,
     .refuses = refuses_block,
     .clock = clock,
     .readback = readback,
     .variants = forms_of_a_pass()});

}  // namespace ablate::backbone
