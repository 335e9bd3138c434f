// The gradients in one kernel (mma_fused.cuh): what each block of keys adds to dQ is stored in a buffer of
// its own, and the buffers are added in the order of their keys: five products, and the same bits each time.
// Their memory is window / 128 times dQ's in fp32, hence short windows alone. Should move, against
// mma_atomic: L2 reductions to none; DRAM writes and reads, up by the parts.
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/mma_fused.cuh"

namespace ablate::window_attention_backward {

void differentiate_in_parts_by_mma(launcher& to, const problem& p) {
  compute_row_statistics(to, p);
  with_fused_shape(p.attention.width, [&](auto shape) { launch_fused<query_sums::apart>(to, p, shape); });
}

}  // namespace ablate::window_attention_backward
