// mlp: the two linear layers of a transformer's block, with norm and residual. Axes, and one entry a variant;
// buffers, inputs, check and work model are in variants/mlp/.
#include "kernels/mlp/mlp.h"

#include <cmath>

#include "harness/registry/define.h"
#include "kernels/mlp/launches.h"
#include "oracles/mlp/launches.h"
#include "variants/mlp/buffers.h"
#include "variants/mlp/prepare.h"
#include "variants/phases.h"

namespace ablate::mlp {
namespace {

constexpr std::int64_t samples_of_a_case = 64;

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p;
  p.kind = at.word("kind") == "swiglu" ? kind::swiglu : kind::gelu;
  p.rows = at.integer("rows");
  p.channels = static_cast<int>(at.integer("channels"));
  p.is_backward = at.word("region") == "backward";
  p.seed = inputs.seed();
  p.first_spread = 1 / std::sqrt(static_cast<float>(p.channels));
  p.second_spread = 1 / std::sqrt(static_cast<float>(p.hidden_columns()));
  p.sample_count = samples_of_a_case;
  return p;
}

const switches by_library = {{"core", "cublaslt"}, {"launches", "steps"}, {"bias_sums", "products"}};
const switches by_own_sums = by_library.with({{"bias_sums", "own"}});
const switches by_layer = by_library.with({{"core", "mma"}, {"launches", "layers"}});
const switches at_once = {{"core", "mma"}, {"launches", "one"}};

const variant_limits backward_alone = {.only_where = {{"region", {"backward"}}}};

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "mlp",
     .description = "x + fc2(act(fc1(norm(x)))) of bf16 rows, 4 hidden columns a channel",
     .axes = {axis::of_words("kind", {"gelu", "swiglu"},
                             "hidden layer: exact GELU of 4C columns; or SiLU of 4C columns times 4C others"),
              axis::of_integers("rows", 1, 1 << 19, 24576, "rows"),
              axis::of_words("channels", {"128", "32", "64", "256", "512"}, "channels C of a row"),
              axis::of_words("region", {"forward", "backward"},
                             "the layers; or the gradients of their input and of all parameters, from the "
                             "output of the first layer")},
     .baseline = "library",
     .presets = {.best = {"fused_wgmma", "library", "fused_mma", "library_own_sums"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .compare = ABLATE_LAUNCH(compare_with_plain),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches =
         {{"core",
           "which instructions multiply",
           {{"cublaslt", "cuBLASLt's kernels"}, {"mma", "mma.sync"}, {"wgmma", "wgmma, operands by TMA"}},
           "tensor pipe activity, up with wgmma"},
          {"launches",
           "what a launch computes",
           {{"steps", "one of norm, product and activation"},
            {"passes", "all that stands between two products, backward"},
            {"layers", "a linear layer with its norm, activation or residual"},
            {"one",
             "both layers: 64 hidden columns at a time in registers; otherwise all of them in device memory"}},
           "launches; DRAM and L2 bytes, down"},
          only_with(
              "launches", {"steps", "passes", "layers"},
              {"bias_sums",
               "what sums the bias gradients",
               {{"products",
                 "the weight gradients' products, in cuBLASLt's epilogue or from tiles in shared memory"},
                {"own", "launches of their own"}},
               "time of the weight gradients' products, down; launches, up"})},
     .variants = {
         {"library",
          ABLATE_LAUNCH(library),
          by_library,
          "cuBLASLt products with bias, residual and bias gradients; norm and activation in launches of "
          "their own",
          {.takes = {{"bias_sums", {"own"}}}}},
         {"library_own_sums",
          ABLATE_LAUNCH(library),
          by_own_sums,
          "cuBLASLt products; bias gradients, norm and activation in launches of their own",
          {.only_where = {{"region", {"backward"}}}, .takes = {{"launches", {"passes"}}}}},
         {"library_one_pass", ABLATE_LAUNCH(library), by_own_sums.with({{"launches", "passes"}}),
          "cuBLASLt products; norm, activation gradient and bias sums between two of them in one launch",
          backward_alone},
         {"fused_act",
          ABLATE_LAUNCH(fused_act),
          by_layer,
          "two launches by mma.sync: norm, first layer and activation; second layer and residual; backward, "
          "the activation gradient in the epilogue of the product before it",
          {.without = {"workspace"},
           .takes =
               {{"launches", {"steps"}},
                {"core", {"wgmma"}, 90, {{"channels", {"64", "128", "256"}}, {"region", {"forward"}}}}}}},
         {"fused_act_own_sums",
          ABLATE_LAUNCH(fused_act),
          by_layer.with({{"bias_sums", "own"}}),
          "fused_act, with bias gradients in launches of their own",
          {.only_where = {{"region", {"backward"}}},
           .without = {"workspace"},
           .takes = {{"launches", {"steps"}}}}},
         {"fused_mma",
          ABLATE_LAUNCH(fused_mma),
          at_once,
          "one launch by mma.sync: 64 hidden columns at a time, from registers into the second product",
          {.only_where = {{"channels", {"32", "64", "128"}}, {"region", {"forward"}}},
           .without = {"normed", "product", "hidden", "workspace"}}},
         {"fused_wgmma",
          ABLATE_LAUNCH(fused_wgmma),
          at_once.with({{"core", "wgmma"}}),
          "one launch by wgmma: 64 hidden columns at a time in registers; up to three warpgroups share the "
          "weights that TMA brings",
          {.only_where = {{"channels", {"64", "128"}}, {"region", {"forward"}}},
           .minimum_compute_capability = 90,
           .without = {"normed", "product", "hidden", "workspace"}}},
     }});

}  // namespace ablate::mlp
