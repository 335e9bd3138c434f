// The fastest of hopper_bulk, hopper_reduced, hopper_persistent, hopper_private_dq and hopper_window_per_cta
// by head width and window (per_shape_best.h): what a library would call. Should move: nothing of its own; it
// is as fast as the best of the five, or the rule is wrong.
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/launches.h"
#include "kernels/window_attention_backward/per_shape_best.h"
#include "kernels/window_attention_backward/view.cuh"

namespace ablate::window_attention_backward {

void hopper_per_shape_best(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::differentiate)) {
    switch (per_shape_best(p.attention.width, p.attention.window)) {
      case form::bulk:
        differentiate_by_bulk_copies_on_hopper(to, p);
        break;
      case form::reduced:
        differentiate_by_reductions_on_hopper(to, p);
        break;
      case form::persistent:
        differentiate_by_persistent_blocks(to, p);
        break;
      case form::private_dq:
        differentiate_with_private_dq(to, p);
        break;
      case form::window_per_cta:
        differentiate_by_windows(to, p);
    }
  }
}

}  // namespace ablate::window_attention_backward
