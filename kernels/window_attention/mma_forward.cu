// Forward attention by mma.sync, one block shape a head width: see mma_forward.cuh.
#include "kernels/window_attention/launches.h"
#include "kernels/window_attention/mma_run.cuh"

namespace ablate::window_attention {

void mma_online(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) run_mma_ahead<softmax_options<softmax_form::online>>(to, p);
}

/// mma_online where windows follow each other: the same kernels, which find no table.
void mma_contiguous(launcher& to, const problem& p, const switches&) {
  problem computed = p;
  computed.scope = nullptr;
  if (p.does(phase::attend)) run_mma_ahead<softmax_options<softmax_form::online>>(to, computed);
}

/// The polynomial helps at 16 and 32 elements, where the exponentials limit.
void mma_bounded(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend))
    with_mma_shape<copies_form::ahead>(p.width, [&](auto shape) {
      using of_width = decltype(shape);
      run_mma<of_width, softmax_options<softmax_form::bounded, of_width::width <= 32 ? 4 : 0>>(to, p);
    });
}

void mma_online_one_stage(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend))
    with_mma_shape<copies_form::awaited>(
        p.width, [&](auto shape) { run_mma<decltype(shape), softmax_options<softmax_form::online>>(to, p); });
}

}  // namespace ablate::window_attention
