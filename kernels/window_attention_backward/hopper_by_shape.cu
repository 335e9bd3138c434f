// The fastest of hopper_bulk, hopper_reduced, hopper_persistent, hopper_lone_groups and hopper_owned by head
// width and window (form_by_shape.h): what a library would call. Should move: nothing of its own; it is as
// fast as the best of the five, or the rule is wrong.
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/form_by_shape.h"
#include "kernels/window_attention_backward/launches.h"
#include "kernels/window_attention_backward/view.cuh"

namespace ablate::window_attention_backward {

void hopper_by_shape(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::differentiate)) {
    switch (form_by_shape(p.attention.width, p.attention.window)) {
      case form::bulk:
        differentiate_by_bulk_copies_on_hopper(to, p);
        break;
      case form::reduced:
        differentiate_by_reductions_on_hopper(to, p);
        break;
      case form::persistent:
        differentiate_by_persistent_blocks(to, p);
        break;
      case form::lone_groups:
        differentiate_by_lone_groups(to, p);
        break;
      case form::owned:
        differentiate_by_windows(to, p);
    }
  }
}

}  // namespace ablate::window_attention_backward
