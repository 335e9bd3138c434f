// The gradients in one kernel (mma_fused.cuh): what each block of keys adds to dQ is added to fp32 sums in
// device memory by reductions, which are cleared before. Window / 128 reductions an element of dQ, in an
// order that differs from run to run. Should move, against mma_two_pass: the tensor pipe's instructions, down
// to 5/7; L2 reductions, up.
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/mma_fused.cuh"

namespace ablate::window_attention_backward {

void differentiate_by_atomics_by_mma(launcher& to, const problem& p) {
  compute_row_statistics(to, p);
  clear_query_gradient_sums(to, p);
  with_fused_shape(p.attention.width, [&](auto shape) { launch_fused<query_sums::shared>(to, p, shape); });
}

}  // namespace ablate::window_attention_backward
