// compression_attention_backward: the gradients of attention among pooled rows. Axes, and one entry a
// variant; buffers, inputs, check and work model are in variants/compression_attention_backward/.
#include "kernels/compression_attention_backward/compression_attention_backward.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "harness/registry/define.h"
#include "kernels/compression_attention_backward/launches.h"
#include "oracles/compression_attention_backward/launches.h"
#include "variants/compression_attention_backward/buffers.h"
#include "variants/compression_attention_backward/prepare.h"
#include "variants/image_blocks.h"

namespace ablate::compression_attention_backward {
namespace {

constexpr std::int64_t samples_of_a_gradient = 16;

std::optional<std::string> refuses(const axis_values& at) {
  const block_layout layout = layout_at(at, geometry_at(at));
  if (layout.blocks() > max_rows)
    return fmt::format("images={}: {} pooled rows, expected at most {}", at.integer("images"),
                       layout.blocks(), max_rows);
  return refuses_blocks(layout);
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p = generated_problem_of_rows(layout_at(at, geometry_at(at)).blocks(), at.integer("heads"),
                                                inputs.seed(), at.word("scores") == "zero" ? 0.0f : 1.0f);
  p.sample_count = samples_of_a_gradient;
  return p;
}

const switches by_mma = {{"core", "mma"}, {"dq", "two_pass"}};
const switches on_hopper = by_mma.with({{"core", "hopper"}});
const variant_limits of_hopper = {.minimum_compute_capability = 90};

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "compression_attention_backward",
     .description = "gradients of attention among pooled blocks, bf16",
     .axes = {images_axis(), heads_axis(), block_axis("tokens that are pooled into a row"),
              axis::of_words("scores", {"unit", "zero"}, "Q and K: standard deviation 1; or zeros"),
              geometry_axis()},
     .baseline = "mma_two_pass",
     .presets = {.best = {"hopper_reduced"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .compare = ABLATE_LAUNCH(compare_with_plain),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = {{"core",
                   "which instructions multiply",
                   {{"mma", "mma.sync"}, {"hopper", "wgmma, operands by TMA"}},
                   "tensor pipe activity, up with wgmma"},
                  {"dq",
                   "how dQ is summed",
                   {{"two_pass",
                     "in registers, by a kernel of its own: seven products, bitwise reproducible"},
                    {"reductions", "by fp32 vector reductions from registers: five products"},
                    {"bulk", "by bulk copies that add to fp32 sums: five products"}},
                   "tensor instructions, to 5/7 in one pass; L2 reductions, up",
                   "FlashAttention-2, arXiv 2307.08691, §3.1.2: one pass"}},
     .variants = {
         {"mma_two_pass",
          ABLATE_LAUNCH(differentiate),
          by_mma,
          "one kernel for dK and dV, one for dQ, by mma.sync: seven products, no atomics; bitwise "
          "reproducible",
          {.same_bits = true, .takes = {{"dq", {"reductions"}}}}},
         {"mma_atomic", ABLATE_LAUNCH(differentiate), by_mma.with({{"dq", "reductions"}}),
          "one kernel by mma.sync: five products, dQ by reductions to fp32 sums"},
         {"hopper_two_pass",
          ABLATE_LAUNCH(differentiate),
          on_hopper,
          "one kernel for dK and dV, one for dQ, by wgmma with operands by TMA: seven products; bitwise "
          "reproducible",
          {.minimum_compute_capability = 90, .same_bits = true, .takes = {{"dq", {"bulk", "reductions"}}}}},
         {"hopper_bulk", ABLATE_LAUNCH(differentiate), on_hopper.with({{"dq", "bulk"}}),
          "one kernel by wgmma: five products, dQ by bulk copies that add to fp32 sums", of_hopper},
         {"hopper_reduced", ABLATE_LAUNCH(differentiate), on_hopper.with({{"dq", "reductions"}}),
          "one kernel by wgmma: five products, dQ by vector reductions from registers", of_hopper},
     }});

}  // namespace ablate::compression_attention_backward
