// Forms of the softmax on the core of mma_online, each one step from it (attention_core/mma_row_softmax.cuh).
// Should move: instructions a score (mma_normalize_per_tile and mma_natural_exp have more, mma_fixed_max
// fewer).
#include "kernels/window_attention/launches.h"
#include "kernels/window_attention/mma_run.cuh"

namespace ablate::window_attention {

void mma_normalize_per_tile(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) run_mma_of_width<softmax_config{.form = softmax_form::per_tile}>(to, p);
}

void mma_natural_exp(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) run_mma_of_width<softmax_config{.form = softmax_form::natural}>(to, p);
}

void mma_fixed_max(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) run_mma_of_width<softmax_config{.form = softmax_form::fixed_max}>(to, p);
}

}  // namespace ablate::window_attention
