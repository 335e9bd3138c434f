// Forms of the softmax on the core of mma_online, each one step from it (attention_core/mma_row_softmax.cuh).
// Should move: instructions a score (mma_normalize_per_tile and mma_natural_exp have more, mma_fixed_max
// fewer).
#include "kernels/window_attention/mma_forward.h"
#include "kernels/window_attention/mma_run.cuh"

namespace ablate::window_attention {

void attend_normalizing_per_tile_by_mma(launcher& to, const problem& p) {
  run_mma_of_width<softmax_config{.form = softmax_form::per_tile}>(to, p);
}

void attend_by_natural_powers_by_mma(launcher& to, const problem& p) {
  run_mma_of_width<softmax_config{.form = softmax_form::natural}>(to, p);
}

void attend_with_fixed_max_by_mma(launcher& to, const problem& p) {
  run_mma_of_width<softmax_config{.form = softmax_form::fixed_max}>(to, p);
}

}  // namespace ablate::window_attention
