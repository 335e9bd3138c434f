// hopper_bulk with reductions of four numbers out of registers instead of bulk copies out of shared
// memory. Should move, against hopper_bulk: shared memory's bandwidth, down by dQ's two trips through it;
// instructions that wait for memory's queue, up.
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/hopper_fused.cuh"

namespace ablate::window_attention_backward {

void differentiate_by_reductions_on_hopper(launcher& to, const problem& p) {
  differentiate_fused_on_hopper<query_gradient_way::reductions>(to, p);
}

}  // namespace ablate::window_attention_backward
