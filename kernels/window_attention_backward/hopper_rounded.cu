// hopper_bulk, hopper_reduced and hopper_persistent without the kernels that clear the sums of dQ and round
// them: each tile of queries has a count of the blocks of keys that have added to its sums, and the last one
// rounds them, out of L2, and sets sums and count back to zero, for the next launch (last_rounding.cuh). A
// window's blocks of keys run at about the same time, so the sums are seldom written to DRAM before they are
// whole; what is written there in the end are zeros, which the next launch's first additions read again.
// Three warps that idle otherwise do it, in parallel with those that multiply. The order of additions
// differs from run to run, as before. Should move, against those: launches, by two; DRAM bytes, down by dQ in
// fp32 written once and read once.
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/persistent_shapes.cuh"

namespace ablate::window_attention_backward {

namespace {

template <int Width>
void launch_reductions_then_round(launcher& to, const problem& p) {
  launch_fused_on_hopper<fused_shape<fused_block_of(Width, true)>,
                         query_gradient_way::reductions_then_rounded>(to, p);
}

}  // namespace

void differentiate_by_bulk_copies_then_round(launcher& to, const problem& p) {
  differentiate_fused_on_hopper<query_gradient_way::bulk_then_rounded>(to, p);
}

void differentiate_by_reductions_then_round(launcher& to, const problem& p) {
  compute_row_statistics(to, p, statistics_order::quads);
  switch (p.attention.width) {
    case 16:
      return launch_reductions_then_round<16>(to, p);
    case 32:
      return launch_reductions_then_round<32>(to, p);
    default:
      return launch_reductions_then_round<64>(to, p);
  }
}

void differentiate_by_persistent_blocks_then_round(launcher& to, const problem& p) {
  compute_row_statistics(to, p, statistics_order::quads);
  launch_persistent_on_hopper<query_gradient_way::reductions_then_rounded>(to, p);
}

}  // namespace ablate::window_attention_backward
