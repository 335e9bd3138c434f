// Forward attention by mma.sync, one block shape a head width: see mma_forward.cuh.
#include "kernels/window_attention/launches.h"
#include "kernels/window_attention/mma_run.cuh"

namespace ablate::window_attention {

void mma_online(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) run_mma_of_width<softmax_config{.form = softmax_form::online}>(to, p);
}

/// mma_online where windows follow each other: the same kernels, which find no table.
void mma_contiguous(launcher& to, const problem& p, const switches&) {
  problem computed = p;
  computed.scope = nullptr;
  if (p.does(phase::attend)) run_mma_of_width<softmax_config{.form = softmax_form::online}>(to, computed);
}

/// The polynomial helps at 16 and 32 elements, where the exponentials limit.
void mma_bounded(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend))
    with_width(p.width, [&](auto width) {
      constexpr softmax_config softmax = {.software_exp2 = width <= 32 ? 4 : 0,
                                          .form = softmax_form::bounded};
      run_mma<mma_config{.block = mma_block_of(width), .softmax = softmax}>(to, p);
    });
}

}  // namespace ablate::window_attention
