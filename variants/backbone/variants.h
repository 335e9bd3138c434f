#pragma once

#include <vector>

#include "harness/registry/define.h"
#include "kernels/backbone/launches.h"
#include "oracles/backbone/checked_problem.h"
#include "variants/backbone/forms.h"

namespace ablate::backbone {

/// Where a variant applies: to passes of one kind.
inline axis_conditions only_for(const char* pass) { return {{"pass", {pass}}}; }

using form_of_pass = variant<problem, checked_problem>;

/// The variants of backbone and of block: one entry each.
inline std::vector<form_of_pass> forms_of_a_pass() {
  return {
      {"library",
       ABLATE_LAUNCH(forward),
       by_library,
       "layers by cuBLASLt, with launches for norms and activations; attention by wgmma",
       {.minimum_compute_capability = 90,
        .takes = {{"layers", {"cublaslt_separate", "own", "per_layer_best"}}, {"pdl", {"on"}}}}},
      {"fused",
       ABLATE_LAUNCH(forward),
       fused,
       "own kernels: norms, activations and residuals with the products, an MLP in one launch where C ≤ 128",
       {.minimum_compute_capability = 90,
        .without = {"workspace"},
        .takes = {{"core", {"mma"}}, {"pdl", {"on"}}}}},
      {"per_layer_best",
       ABLATE_LAUNCH(forward),
       per_layer_best,
       "each layer by cuBLASLt or an own kernel, its norm with it or in front of it, whichever is faster at "
       "its shape",
       {.minimum_compute_capability = 90,
        .takes = {{"core", {"mma"}}, {"attention", {"hopper_wave_fit"}}, {"pdl", {"on"}}}}},
      {"per_layer_best_exp2_bf16x2",
       ABLATE_LAUNCH(forward),
       per_layer_best_exp2_bf16x2,
       "each layer by the faster kernel, PDL; in heads of at most 32 channels, 6 of 16 "
       "exponentials in 16-bit pairs",
       {.minimum_compute_capability = 90, .takes = {{"exp2", {"bf16x2_4of16"}}}}},
      {"per_layer_best_two_pass_dq",
       ABLATE_LAUNCH(forward),
       per_layer_best_two_pass_dq,
       "each layer by the faster kernel; dQ of attention in a pass of its own: bitwise reproducible",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"per_layer_best_persistent_dq",
       ABLATE_LAUNCH(forward),
       per_layer_best_persistent_dq,
       "each layer by the faster kernel; attention's gradients in persistent blocks",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"second_stream",
       ABLATE_LAUNCH(forward),
       second_stream,
       "each layer by the faster kernel; gradients of parameters on a second stream, beside those of rows",
       {.only_where = only_for("training"),
        .minimum_compute_capability = 90,
        .takes = {{"dq", {"two_pass", "persistent", "window_per_cta"}},
                  {"weights", {"second_stream_to_end"}},
                  {"pdl", {"on"}}}}},
      {"second_stream_four_groups",
       ABLATE_LAUNCH(forward),
       second_stream_four_groups,
       "gradients of parameters on a second stream; attention's, for heads of 16 channels, by two "
       "independent pairs of warpgroups per block",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"second_stream_private_dq",
       ABLATE_LAUNCH(forward),
       second_stream_private_dq,
       "gradients of parameters on a second stream; attention's, for heads of 16 channels, by four "
       "warpgroups per block, each adding to dQ alone",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"second_stream_exp2_bf16x2",
       ABLATE_LAUNCH(forward),
       second_stream_exp2_bf16x2,
       "gradients of parameters on a second stream; PDL, and 6 of 16 exponentials in 16-bit "
       "pairs in heads of at most 32 channels",
       {.only_where = only_for("training"),
        .minimum_compute_capability = 90,
        .takes = {{"exp2", {"bf16x2_4of16"}}}}},
      {"exp2_bf16x2_four_groups",
       ABLATE_LAUNCH(forward),
       exp2_bf16x2_four_groups,
       "gradients of parameters on a second stream, awaited at the end; PDL, packed "
       "exponentials, dQ by pairs of warpgroups in heads of 16 channels",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"exp2_bf16x2_private_dq",
       ABLATE_LAUNCH(forward),
       exp2_bf16x2_private_dq,
       "gradients of parameters on a second stream, awaited at the end; PDL, packed "
       "exponentials, dQ by warpgroups that add alone in heads of 16 channels",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"library_mma",
       ABLATE_LAUNCH(forward),
       by_library_on_mma,
       "layers by cuBLASLt, with launches for norms and activations; attention by mma.sync",
       {.takes = {{"layers", {"cublaslt_separate", "own", "per_layer_best"}}}}},
      {"fused_mma",
       ABLATE_LAUNCH(forward),
       fused_on_mma,
       "own kernels by mma.sync: norms, activations and residuals with the products; attention by mma.sync",
       {.without = {"workspace"}, .takes = {{"pdl", {"on"}, 90}}}},
      {"per_layer_best_mma",
       ABLATE_LAUNCH(forward),
       per_layer_best_on_mma,
       "each layer by cuBLASLt or an own kernel by mma.sync, whichever is faster; attention by mma.sync",
       {.takes = {{"pdl", {"on"}, 90}}}},
      {"per_layer_best_mma_fixed_max", ABLATE_LAUNCH(forward), fixed_max_on_mma,
       "each layer by cuBLASLt or mma.sync, whichever is faster; attention by mma.sync, a maximum fixed "
       "after the first keys"},
      {"per_layer_best_mma_exp2_bf16x2",
       ABLATE_LAUNCH(forward),
       exp2_bf16x2_on_mma,
       "each layer by cuBLASLt or mma.sync; attention by mma.sync, 6 of 16 exponentials in 16-bit pairs in "
       "heads of at most 32 channels",
       {.takes = {{"exp2", {"bf16x2_4of16"}}}}},
      {"published_attention",
       ABLATE_LAUNCH(forward),
       by_published_attention,
       "layers by cuBLASLt; attention in the published shape: one block per window and head, all shared "
       "memory",
       {.only_where = only_for("inference"),
        .takes = {{"normalize", {"at_end"}}, {"smem_request", {"needed"}}, {"grid", {"query_blocks"}}}}},
  };
}

}  // namespace ablate::backbone
