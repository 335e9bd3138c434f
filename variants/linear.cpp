// linear: rows by a matrix, with what is before and after it. Axes, and one entry a variant; buffers,
// inputs, check and work model are in variants/linear/.
#include "kernels/linear/linear.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/registry/define.h"
#include "kernels/linear/launches.h"
#include "oracles/linear/launches.h"
#include "variants/linear/buffers.h"
#include "variants/linear/prepare.h"
#include "variants/phases.h"

namespace ablate::linear {
namespace {

constexpr std::int64_t samples_of_a_case = 96;

struct layer_shape {
  int inputs, outputs;
};

/// In channels.
layer_shape shape_at(const axis_values& at) {
  const auto c = static_cast<int>(at.integer("channels"));
  const std::string& word = at.word("shape");
  return word == "qkv"            ? layer_shape{c, 3 * c}
         : word == "expand"       ? layer_shape{c, 4 * c}
         : word == "expand_gated" ? layer_shape{c, 8 * c}
         : word == "contract"     ? layer_shape{4 * c, c}
         : word == "double"       ? layer_shape{c, 2 * c}
                                  : layer_shape{c, c};
}

epilogue epilogue_at(const axis_values& at) {
  const std::string& word = at.word("epilogue");
  return word == "residual"    ? epilogue::residual
         : word == "gelu_erf"  ? epilogue::gelu_erf
         : word == "gelu_tanh" ? epilogue::gelu_tanh
         : word == "swiglu"    ? epilogue::swiglu
                               : epilogue::bias;
}

std::optional<std::string> refuses(const axis_values& at) {
  const layer_shape shape = shape_at(at);
  const epilogue behind = epilogue_at(at);
  const bool has_norm = at.word("prologue") == "norm", is_split = at.word("output") == "split";
  if (behind == epilogue::swiglu && shape.outputs % 128 != 0)
    return fmt::format("epilogue=swiglu: {} columns are no multiple of 128", shape.outputs);
  if (has_norm && shape.inputs > max_normed_inputs)
    return fmt::format("prologue=norm: rows of {} elements; at most {} are normalized", shape.inputs,
                       max_normed_inputs);
  if (is_split && (at.word("shape") != "qkv" || behind != epilogue::bias))
    return "output=split: of shape=qkv with epilogue=bias";
  if (at.word("region") != "forward" &&
      (has_norm || is_split || (behind != epilogue::bias && behind != epilogue::residual)))
    return fmt::format(
        "region={}: the gradients are those of epilogue=bias or residual without a norm, packed; those of an "
        "activation belong to mlp",
        at.word("region"));
  return std::nullopt;
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p;
  const layer_shape shape = shape_at(at);
  const std::string& region = at.word("region");
  p.rows = at.integer("rows");
  p.inputs = shape.inputs;
  p.outputs = shape.outputs;
  p.behind = epilogue_at(at);
  p.has_norm = at.word("prologue") == "norm";
  p.is_split = at.word("output") == "split";
  const bool all = region == "all";
  p.does[static_cast<int>(output::y)] = all || region == "forward";
  p.does[static_cast<int>(output::input_gradient)] = all || region == "input_gradient";
  p.does[static_cast<int>(output::weight_gradient)] = all || region == "weight_gradient";
  p.seed = inputs.seed();
  p.weight_spread = 1 / std::sqrt(static_cast<float>(p.inputs));
  p.sample_count = samples_of_a_case;
  return p;
}

const switches by_library = {{"core", "cublaslt"}, {"epilogue", "library"}, {"norm", "launch"}};
/// A product of our own with its norm or all after the bias in launches of their own.
std::vector<switch_range> launches_apart(int minimum_compute_capability) {
  return {
      {"epilogue",
       {"launch"},
       minimum_compute_capability,
       {{"epilogue", {"residual", "gelu_erf", "gelu_tanh", "swiglu"}}, {"region", {"forward"}}}},
      {"norm", {"launch"}, minimum_compute_capability, {{"prologue", {"norm"}}, {"region", {"forward"}}}}};
}

const switches by_mma = {{"core", "mma"}, {"epilogue", "registers"}, {"norm", "smem"}};

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "linear",
     .description = "a linear layer of bf16 rows, with a norm before it and an epilogue behind it",
     .axes =
         {axis::of_integers("rows", 1, 1 << 19, 24576, "rows"),
          axis::of_words("channels", {"128", "32", "64", "256", "512"}, "channels C of the block"),
          axis::of_words("shape", {"qkv", "square", "expand", "expand_gated", "contract", "double"},
                         "from and to channels: C to 3C, C, 4C or 8C; 4C to C; C to 2C"),
          axis::of_words(
              "epilogue", {"bias", "residual", "gelu_erf", "gelu_tanh", "swiglu"},
              "behind the product: its bias; and then the residual, an activation, or the first half of the "
              "columns through SiLU times the second"),
          axis::of_words("prologue", {"none", "norm"}, "before it: nothing, or a layer norm"),
          axis::of_words("output", {"packed", "split"}, "[rows][3C], or [3][rows][C]"),
          axis::of_words("region", {"forward", "input_gradient", "weight_gradient", "all"},
                         "which of the layer, the gradient of its input, and those of weight and bias")},
     .baseline = "cublaslt",
     .presets = {.best = {"own_wgmma", "cublaslt", "own_wgmma_normed", "own_mma"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .compare = ABLATE_LAUNCH(compare_with_plain),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches =
         {{"core",
           "which instructions multiply",
           {{"cublaslt", "cuBLASLt's kernels"}, {"mma", "mma.sync"}, {"wgmma", "wgmma, operands by TMA"}},
           "tensor pipe activity, up with wgmma"},
          {"epilogue",
           "where bias, residual and activation are applied",
           {{"library", "in cuBLASLt's epilogue, where it has one"},
            {"launch", "in a launch behind the product; of mma and wgmma all but the bias"},
            {"registers", "on the accumulators"}},
           "launches and DRAM bytes, down by a write and a read of the product"},
          {"norm",
           "where rows are normalized",
           {{"launch", "in a launch before the product"},
            {"smem", "on rows in shared memory, by the kernel that multiplies them"},
            {"none", "nowhere: the layer has no norm"}},
           "launches and DRAM bytes, down by a write and a read of the normalized rows"}},
     .variants = {
         {"cublaslt",
          ABLATE_LAUNCH(library),
          by_library,
          "cuBLASLt with the epilogues that it has; a launch each for a norm, exact GELU or SwiGLU",
          {.same_bits = true, .takes = {{"epilogue", {"launch"}}}}},
         {"cublaslt_separate",
          ABLATE_LAUNCH(library),
          by_library.with({{"epilogue", "launch"}}),
          "cuBLASLt's product alone; a launch before it for a norm, one behind it for bias, residual and "
          "activation",
          {.same_bits = true}},
         {"own_mma",
          ABLATE_LAUNCH(own_mma),
          by_mma,
          "one launch by mma.sync: rows normalized in shared memory, epilogue on the accumulators",
          {.without = {"workspace"}, .same_bits = true, .takes = launches_apart(80)}},
         {"own_wgmma",
          ABLATE_LAUNCH(own_wgmma),
          by_mma.with({{"core", "wgmma"}, {"norm", "none"}}),
          "one launch by wgmma, operands by TMA; W stays in shared memory where K is short",
          {.only_where = {{"channels", {"64", "128", "256", "512"}},
                          {"prologue", {"none"}},
                          {"region", {"forward", "input_gradient"}}},
           .minimum_compute_capability = 90,
           .without = {"workspace", "normed", "product"},
           .same_bits = true}},
         {"own_wgmma_normed",
          ABLATE_LAUNCH(own_wgmma_normed),
          by_mma.with({{"core", "wgmma"}}),
          "one launch by wgmma with the norm inside: each column tile normalizes its rows again in shared "
          "memory",
          {.only_where = {{"channels", {"64", "128", "256"}},
                          {"shape", {"qkv", "square", "expand", "expand_gated", "double"}},
                          {"prologue", {"norm"}},
                          {"region", {"forward"}}},
           .minimum_compute_capability = 90,
           .without = {"workspace"},
           .same_bits = true,
           .takes = launches_apart(90)}},
     }});

}  // namespace ablate::linear
