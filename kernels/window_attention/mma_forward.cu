// Forward attention by mma.sync, one block shape a head width: see mma_forward.cuh.
#include "kernels/window_attention/mma_forward.h"

#include "kernels/window_attention/mma_run.cuh"

namespace ablate::window_attention {

void attend_online_by_mma(launcher& to, const problem& p) {
  run_mma_of_width<softmax_config{.form = softmax_form::online}>(to, p);
}

/// The polynomial helps at 16 and 32 elements, where the exponentials limit.
void attend_bounded_by_mma(launcher& to, const problem& p) {
  with_width(p.width, [&](auto width) {
    constexpr softmax_config softmax = {.software_exp2 = width <= 32 ? 4 : 0, .form = softmax_form::bounded};
    run_mma<mma_config{.block = mma_block_of(width), .softmax = softmax}>(to, p);
  });
}

}  // namespace ablate::window_attention
