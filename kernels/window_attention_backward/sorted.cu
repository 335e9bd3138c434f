// Rows sorted once along the curve that the windows follow, before the forward pass, so that each layer's
// tensors and gradients are in whole buckets of sorted rows: the backward pass is hopper_two_pass on them
// and moves nothing. Gradients stay sorted, and only the check takes them back. Should move, against
// hopper_gathered_vectorized: bytes of L2 and DRAM, down to hopper_two_pass's.
#include "kernels/window_attention/gather.cuh"
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/gather.cuh"
#include "kernels/window_attention_backward/launches.h"

namespace ablate::window_attention_backward {

void hopper_sorted(launcher& to, const problem& p, const switches& s) {
  const moved_rows moved(p);
  if (p.does(phase::arrange)) {
    const window_attention::problem& a = p.attention;
    gather_saved_tensors(to, p, moved);
    window_attention::gather_rows(to, a, {{p.out_gradient, moved.out_gradient}}, a.heads * a.width,
                                  a.narrow.row_of_token);
  }
  if (p.does(phase::differentiate)) {
    problem sorted = in_moved_rows(p, moved);
    sorted.attention.scope = p.attention.scope;
    differentiate_on_hopper(to, sorted, s.word("dq"));
  }
}

}  // namespace ablate::window_attention_backward
