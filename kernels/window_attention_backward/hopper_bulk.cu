// One kernel of warpgroup products (hopper_fused.cuh): each warp's part of dQ leaves shared memory as one
// bulk copy that adds to fp32 sums in device memory, in an order that differs from run to run. Should move,
// against hopper_two_pass: the tensor pipe's instructions, down to 5/7; L2 reductions, up.
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/hopper_fused.cuh"

namespace ablate::window_attention_backward {

void differentiate_by_bulk_copies_on_hopper(launcher& to, const problem& p) {
  differentiate_fused_on_hopper<query_gradient_way::bulk>(to, p);
}

}  // namespace ablate::window_attention_backward
