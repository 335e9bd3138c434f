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
       "layers by cuBLASLt, with launches for norms and activations; attention by hopper_first_tile",
       {.minimum_compute_capability = 90}},
      {"separate_steps",
       ABLATE_LAUNCH(forward),
       in_separate_steps,
       "library, with biases, activations and residuals behind the products, each in a launch of its own",
       {.minimum_compute_capability = 90}},
      {"fused",
       ABLATE_LAUNCH(forward),
       fused,
       "own kernels: norms, activations and residuals with the products, an MLP in one launch where C ≤ 128",
       {.minimum_compute_capability = 90, .without = {"workspace"}}},
      {"fused_dependent",
       ABLATE_LAUNCH(forward),
       fused_dependent,
       "fused, whose kernels begin while the previous one still runs and bring their weights meanwhile",
       {.minimum_compute_capability = 90, .without = {"workspace"}}},
      {"chosen",
       ABLATE_LAUNCH(forward),
       chosen,
       "each layer by cuBLASLt or an own kernel, its norm with it or in front of it, "
       "whichever is faster at its shape",
       {.minimum_compute_capability = 90}},
      {"chosen_dependent",
       ABLATE_LAUNCH(forward),
       chosen_dependent,
       "chosen, whose own kernels begin while the previous one still runs",
       {.minimum_compute_capability = 90}},
      {"chosen_packed",
       ABLATE_LAUNCH(forward),
       chosen_packed,
       "chosen_dependent, with 6 of 16 exponentials in attention computed in pairs in 16-bit arithmetic, for "
       "heads of at most 32 channels",
       {.minimum_compute_capability = 90}},
      {"chosen_by_rounds",
       ABLATE_LAUNCH(forward),
       chosen_by_rounds,
       "chosen, with attention in one launch, by tiles that fill the multiprocessors' last round better",
       {.minimum_compute_capability = 90}},
      {"chosen_in_two_passes",
       ABLATE_LAUNCH(forward),
       chosen_in_two_passes,
       "chosen, with the gradients of attention's queries in a pass of their own: the same bits each time",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_persistent",
       ABLATE_LAUNCH(forward),
       chosen_persistent,
       "chosen, with attention's gradients in persistent blocks",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_beside",
       ABLATE_LAUNCH(forward),
       chosen_beside,
       "chosen, with gradients of parameters on a second stream, beside those of rows",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_beside_by_windows",
       ABLATE_LAUNCH(forward),
       chosen_beside_by_windows,
       "chosen_beside, with attention's gradients in blocks that have all keys of a "
       "window: the same bits each time",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_beside_by_four_groups",
       ABLATE_LAUNCH(forward),
       chosen_beside_by_four_groups,
       "chosen_beside, with attention's gradients by four warpgroups per block, in pairs that never wait for "
       "each other, for heads of 16 channels",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_beside_by_lone_groups",
       ABLATE_LAUNCH(forward),
       chosen_beside_by_lone_groups,
       "chosen_beside_by_four_groups without pairs: each warpgroup adds to the queries' gradients alone",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_beside_to_end",
       ABLATE_LAUNCH(forward),
       chosen_beside_to_end,
       "chosen_beside, where nothing waits for gradients of parameters before the pass ends",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_beside_to_end_by_windows",
       ABLATE_LAUNCH(forward),
       chosen_beside_to_end_by_windows,
       "chosen_beside_to_end, with attention's gradients as in "
       "chosen_beside_by_windows: the same bits each time",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_beside_packed",
       ABLATE_LAUNCH(forward),
       chosen_beside_packed,
       "chosen_beside with the forward pass of chosen_packed",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_packed_four_groups",
       ABLATE_LAUNCH(forward),
       chosen_packed_four_groups,
       "chosen_beside_to_end with the forward pass of chosen_packed and attention's gradients as in "
       "chosen_beside_by_four_groups",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"chosen_packed_lone_groups",
       ABLATE_LAUNCH(forward),
       chosen_packed_lone_groups,
       "chosen_packed_four_groups, with attention's gradients as in chosen_beside_by_lone_groups",
       {.only_where = only_for("training"), .minimum_compute_capability = 90}},
      {"library_mma", ABLATE_LAUNCH(forward), by_library_on_mma, "library with attention by mma.sync"},
      {"fused_mma",
       ABLATE_LAUNCH(forward),
       fused_on_mma,
       "fused with all products by mma.sync",
       {.without = {"workspace"}}},
      {"chosen_mma", ABLATE_LAUNCH(forward), chosen_on_mma,
       "chosen with all products of its own by mma.sync"},
      {"chosen_mma_first_tile", ABLATE_LAUNCH(forward), chosen_first_tile_on_mma,
       "chosen_mma with attention that subtracts the maximum over each row's first keys throughout"},
      {"chosen_mma_packed", ABLATE_LAUNCH(forward), chosen_packed_on_mma,
       "chosen_mma_first_tile, with 6 of 16 exponentials in attention computed in pairs in 16-bit "
       "arithmetic, for heads of at most 32 channels"},
      {"published_attention",
       ABLATE_LAUNCH(forward),
       by_published_attention,
       "library, with attention in the published shape: one block per window and head, all shared memory",
       {.only_where = only_for("inference")}},
  };
}

}  // namespace ablate::backbone
