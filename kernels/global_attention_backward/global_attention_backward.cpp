#include "kernels/global_attention_backward/global_attention_backward.h"

namespace ablate::global_attention_backward {

compression_attention_backward::problem among_all(const global_attention::layer& forward,
                                                  const backward_pass& p) {
  compression_attention_backward::problem of =
      compression_attention_backward::problem_of_rows(forward.tokens, forward.heads);
  window_attention_backward::problem& g = of.gradients;
  g.scratch = p.row_scratch;
  g.attention.q = forward.q;
  g.attention.k = forward.k;
  g.attention.v = forward.v;
  g.attention.out = forward.out;
  g.attention.lse = forward.lse;
  g.out_gradient = p.out_gradient;
  g.q_gradient = p.gradient[0];
  g.k_gradient = p.gradient[1];
  g.v_gradient = p.gradient[2];
  return of;
}

}  // namespace ablate::global_attention_backward
