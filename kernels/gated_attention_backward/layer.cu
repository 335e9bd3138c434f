// The layer forward, then backward, from other operations' kernels.
//   The layer of gated_attention/layer.cu, which keeps S; the transposed lists; the gates' gradients, dC and
//   what P and dS need, in one pass over dO; dq̄, dk̄, dv̄ by the dense backward pass among pooled rows; dQ,
//   dK and dV by way of the lists. No launch needs a number from the host, so all of it is one CUDA graph.
// Switches name the form of each part, for the forward pass as there. `inversion` and `rows`: how lists are
// transposed, and in which order; `core` and `dq`: the dense backward pass; `cut` and `pieces`: the
// selection's long rows; `adjoint`: tokens get their part of pooled gradients in the `epilogue` of the
// selection's gradients, which then wait for the pooled ones, or in a `kernel` after both, in place;
// `backward`: pooled gradients run `beside` the selection's, on a second stream, or `in_turn`.
//   Reproducible bits: two passes for pooled rows, ordered rows of lists, pieces added in order. Should move:
// with the adjoint in the epilogue, 12 bytes of DRAM an element of Q; side by side, the time of whichever
// branch is shorter.
#include <stdexcept>

#include "kernels/block_pooling_backward/launches.h"
#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/gated_attention/launches.h"
#include "kernels/gated_attention_backward/launches.h"
#include "kernels/gated_attention_backward/move_rows.cuh"
#include "kernels/gated_attention_backward/parts.h"
#include "kernels/global_attention_backward/forms.h"
#include "kernels/list_transpose/launches.h"
#include "kernels/selection_attention_backward/launches.h"

namespace ablate::gated_attention_backward {

/// Gradients of attention among pooled rows.
void differentiate_pooled_rows(launcher& to, const problem& p, const switches& s) {
  if (p.moves_rows()) move_pooled_rows(to, p);
  global_attention_backward::differentiate_rows(to, rows_of(p), s);
  if (p.moves_rows()) move_pooled_gradients_back(to, p);
}

void differentiate(launcher& to, const problem& p, const switches& s) {
  const bool is_beside = s.word("backward") == "two_streams",
             adds_in_epilogue = s.word("adjoint") == "epilogue";
  if (is_beside && adds_in_epilogue)
    throw std::invalid_argument("backward=beside: expected adjoint=kernel, behind both branches");
  selection_attention_backward::problem selection = selection_of(p, adds_in_epilogue);
  selection.work = selection_attention_backward::phase::prepare;
  selection_attention_backward::two_pass(to, selection, s);
  launcher second = to.beside();
  if (is_beside) second.wait_for(to);
  differentiate_pooled_rows(is_beside ? second : to, p, s);
  (s.word("inversion") == "sort" ? list_transpose::sort_pairs : list_transpose::count)(to, inversion_of(p),
                                                                                       s);
  selection.work = selection_attention_backward::phase::differentiate;
  selection.is_prepared = true;
  selection_attention_backward::two_pass(to, selection, s);
  if (is_beside) to.wait_for(second);
  if (!adds_in_epilogue)
    (s.word("pooling") == "separate" ? block_pooling_backward::separate : block_pooling_backward::warps)(
        to, pooling_of(p), s);
}

void train(launcher& to, const problem& p, const switches& s) {
  if (p.is_forward()) gated_attention::attend(to, p.forward, s);
  if (p.is_backward()) differentiate(to, p, s);
}

}  // namespace ablate::gated_attention_backward
