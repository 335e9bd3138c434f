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
        .takes = {{"layers", {"cublaslt_separate", "own", "by_shape"}}, {"launch", {"overlapped"}}}}},
      {"separate_steps",
       ABLATE_LAUNCH(forward),
       in_separate_steps,
       "cuBLASLt's products alone; norms, biases, activations and residuals in a launch each",
       {.minimum_compute_capability = 90}},
      {"fused",
       ABLATE_LAUNCH(forward),
       fused,
       "own kernels: norms, activations and residuals with the products, an MLP in one launch where C ≤ 128",
       {.minimum_compute_capability = 90,
        .without = {"workspace"},
        .takes = {{"core", {"mma"}}, {"launch", {"overlapped"}}}}},
      {"fused_dependent",
       ABLATE_LAUNCH(forward),
       fused_dependent,
       "own kernels with norms and epilogues inside; each begins while the one before runs, and fetches its "
       "weights",
       {.minimum_compute_capability = 90, .without = {"workspace"}}},
      {"chosen",
       ABLATE_LAUNCH(forward),
       chosen,
       "each layer by cuBLASLt or an own kernel, its norm with it or in front of it, whichever is faster at "
       "its shape",
       {.minimum_compute_capability = 90,
        .takes = {{"core", {"mma"}}, {"attention", {"hopper_by_rounds"}}, {"launch", {"overlapped"}}}}},
      {"chosen_dependent",
       ABLATE_LAUNCH(forward),
       chosen_dependent,
       "each layer by the faster kernel; own kernels begin while the one before still runs",
       {.minimum_compute_capability = 90}},
      {"chosen_packed",
       ABLATE_LAUNCH(forward),
       chosen_packed,
       "each layer by the faster kernel, overlapped launches; in heads of at most 32 channels, 6 of 16 "
       "exponentials in 16-bit pairs",
       {.minimum_compute_capability = 90, .takes = {{"exp2", {"4_of_16_packed"}}}}},
      {"chosen_by_rounds",
       ABLATE_LAUNCH(forward),
       chosen_by_rounds,
       "each layer by the faster kernel; attention in one launch, by tiles that fill the last wave better",
       {.minimum_compute_capability = 90}},
      {"chosen_in_two_passes",
       ABLATE_LAUNCH(forward),
       chosen_in_two_passes,
       "each layer by the faster kernel; dQ of attention in a pass of its own: bitwise reproducible",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_persistent",
       ABLATE_LAUNCH(forward),
       chosen_persistent,
       "each layer by the faster kernel; attention's gradients in persistent blocks",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_beside",
       ABLATE_LAUNCH(forward),
       chosen_beside,
       "each layer by the faster kernel; gradients of parameters on a second stream, beside those of rows",
       {.only_where = only_for("training"),
        .minimum_compute_capability = 90,
        .takes = {{"dq", {"two_pass", "persistent", "owned"}},
                  {"weights", {"beside_to_end"}},
                  {"launch", {"overlapped"}}}}},
      {"chosen_beside_by_windows",
       ABLATE_LAUNCH(forward),
       chosen_beside_by_windows,
       "gradients of parameters on a second stream; attention's in blocks that have all keys of a window: "
       "bitwise reproducible",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_beside_by_four_groups",
       ABLATE_LAUNCH(forward),
       chosen_beside_by_four_groups,
       "gradients of parameters on a second stream; attention's, for heads of 16 channels, by two "
       "independent pairs of warpgroups per block",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_beside_by_lone_groups",
       ABLATE_LAUNCH(forward),
       chosen_beside_by_lone_groups,
       "gradients of parameters on a second stream; attention's, for heads of 16 channels, by four "
       "warpgroups per block, each adding to dQ alone",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_beside_to_end",
       ABLATE_LAUNCH(forward),
       chosen_beside_to_end,
       "gradients of parameters on a second stream, awaited only when the pass ends",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_beside_to_end_by_windows",
       ABLATE_LAUNCH(forward),
       chosen_beside_to_end_by_windows,
       "gradients of parameters on a second stream, awaited at the end; attention's in blocks that have all "
       "keys of a window: bitwise reproducible",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_beside_packed",
       ABLATE_LAUNCH(forward),
       chosen_beside_packed,
       "gradients of parameters on a second stream; overlapped launches, and 6 of 16 exponentials in 16-bit "
       "pairs in heads of at most 32 channels",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_packed_four_groups",
       ABLATE_LAUNCH(forward),
       chosen_packed_four_groups,
       "gradients of parameters on a second stream, awaited at the end; overlapped launches, packed "
       "exponentials, dQ by pairs of warpgroups in heads of 16 channels",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_packed_lone_groups",
       ABLATE_LAUNCH(forward),
       chosen_packed_lone_groups,
       "gradients of parameters on a second stream, awaited at the end; overlapped launches, packed "
       "exponentials, dQ by lone warpgroups in heads of 16 channels",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"library_mma",
       ABLATE_LAUNCH(forward),
       by_library_on_mma,
       "layers by cuBLASLt, with launches for norms and activations; attention by mma.sync",
       {.takes = {{"layers", {"cublaslt_separate", "own", "by_shape"}}}}},
      {"fused_mma",
       ABLATE_LAUNCH(forward),
       fused_on_mma,
       "own kernels by mma.sync: norms, activations and residuals with the products; attention by mma.sync",
       {.without = {"workspace"}, .takes = {{"launch", {"overlapped"}, 90}}}},
      {"chosen_mma",
       ABLATE_LAUNCH(forward),
       chosen_on_mma,
       "each layer by cuBLASLt or an own kernel by mma.sync, whichever is faster; attention by mma.sync",
       {.takes = {{"launch", {"overlapped"}, 90}}}},
      {"chosen_mma_first_tile", ABLATE_LAUNCH(forward), chosen_first_tile_on_mma,
       "each layer by cuBLASLt or mma.sync, whichever is faster; attention by mma.sync, a maximum fixed "
       "after the first keys"},
      {"chosen_mma_packed",
       ABLATE_LAUNCH(forward),
       chosen_packed_on_mma,
       "each layer by cuBLASLt or mma.sync; attention by mma.sync, 6 of 16 exponentials in 16-bit pairs in "
       "heads of at most 32 channels",
       {.takes = {{"exp2", {"4_of_16_packed"}}}}},
      {"published_attention",
       ABLATE_LAUNCH(forward),
       by_published_attention,
       "layers by cuBLASLt; attention in the published shape: one block per window and head, all shared "
       "memory",
       {.only_where = only_for("inference"),
        .takes = {{"division", {"at_end"}}, {"smem_request", {"needed"}}, {"grid", {"query_blocks"}}}}},
  };
}

}  // namespace ablate::backbone
