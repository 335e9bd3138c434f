// hopper_bulk with a buffer for each block of keys instead of common sums: bulk copies that store, and
// the buffers are added in the order of their keys, so that the bits are the same each time. Their memory is
// window / 128 times dQ's in fp32, hence short windows alone. Should move, against hopper_bulk: L2
// reductions, to none; DRAM writes and reads, up by the buffers.
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/hopper_fused.cuh"

namespace ablate::window_attention_backward {

void differentiate_in_parts_on_hopper(launcher& to, const problem& p) {
  differentiate_fused_on_hopper<query_gradient_way::parts>(to, p);
}

}  // namespace ablate::window_attention_backward
