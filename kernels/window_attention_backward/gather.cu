// The backward pass for points in input order. PTv3's forward pass gathers Q, K and V into window order and
// keeps them there for the backward pass, with O and the log-sum-exp as the core wrote them. So the backward
// pass gathers dO by the same index, runs the core on contiguous windows and gathers dQ, dK and dV back
// through the inverse: an index that names each row once needs no sums. hopper_gathered: one thread per
// element, one launch per tensor, int64 indices, as indexing in PTv3's framework does it.
// hopper_gathered_vectorized: 16 bytes per thread and step, int32 indices, one launch before the core and one
// after. Each of the three is a switch: `vector`, `index`, `launches`. Against hopper_contiguous, should
// move: bytes of L2 and DRAM, by 8 tensors read or written; instructions, by vectors an eighth of those by
// elements.
#include "kernels/window_attention_backward/gather.cuh"

#include "kernels/window_attention/gather.cuh"
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/launches.h"

namespace ablate::window_attention_backward {

using window_attention::gather_rows;
using window_attention::gather_rows_and_lse;
using window_attention::gathered_tensor;

void gather_saved_tensors(launcher& to, const problem& p, const moved_rows& moved) {
  const window_attention::problem& a = p.attention;
  const std::int32_t* const index = a.narrow.row_of_token;
  gather_rows(to, a, {{a.q, moved.q}, {a.k, moved.k}, {a.v, moved.v}}, a.heads * a.width, index);
  gather_rows_and_lse(to, a, {a.out, moved.out}, a.lse, moved.lse, index);
}

void gather_gradients(launcher& to, const problem& p, const moved_rows& moved) {
  const window_attention::problem& a = p.attention;
  gather_rows(
      to, a,
      {{moved.q_gradient, p.q_gradient}, {moved.k_gradient, p.k_gradient}, {moved.v_gradient, p.v_gradient}},
      a.heads * a.width, a.narrow.token_of_row);
}

void hopper_gathered(launcher& to, const problem& p, const switches& s) {
  const moved_rows moved(p);
  if (p.does(phase::arrange)) gather_saved_tensors(to, p, moved);
  if (!p.does(phase::differentiate)) return;
  const window_attention::problem& a = p.attention;
  const window_attention::gather_form form = window_attention::gather_form_of(s);
  gather_to_windows(to, a, form, {{p.out_gradient, moved.out_gradient}}, a.heads * a.width);
  differentiate_on_hopper(to, in_moved_rows(p, moved), s.word("dq"));
  gather_back(
      to, a, form,
      {{moved.q_gradient, p.q_gradient}, {moved.k_gradient, p.k_gradient}, {moved.v_gradient, p.v_gradient}},
      a.heads * a.width);
}

}  // namespace ablate::window_attention_backward
