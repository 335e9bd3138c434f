// The fastest of hopper_bulk, hopper_reduced, hopper_persistent, hopper_private_dq and hopper_window_per_cta
// by head width and window (per_shape_best.h): what a library would call. Should move: nothing of its own; it
// is as fast as the best of the five, or the rule is wrong.
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/per_shape_best.h"
#include "kernels/window_attention_backward/view.cuh"

namespace ablate::window_attention_backward {

void differentiate_by_shape_on_hopper(launcher& to, const problem& p) {
  switch (per_shape_best(p.attention.width, p.attention.window)) {
    case form::bulk:
      return differentiate_by_bulk_copies_on_hopper(to, p);
    case form::reduced:
      return differentiate_by_reductions_on_hopper(to, p);
    case form::persistent:
      return differentiate_by_persistent_blocks(to, p);
    case form::private_dq:
      return differentiate_with_private_dq(to, p);
    case form::window_per_cta:
      return differentiate_by_windows(to, p);
  }
}

}  // namespace ablate::window_attention_backward
