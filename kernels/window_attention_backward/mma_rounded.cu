// mma_atomic without the kernels that clear the sums of dQ and round them: a count for each 64 queries and
// warp of a block says how many blocks of keys have added to the warp's part, and the warp that completes it
// rounds the part, out of L2, and sets sums and count back to zero, for the next launch (arrivals.cuh). The
// same warp of every block adds to the same part, so no barrier is needed; but each warp waits, a tile, for
// its additions to be performed and for the count, which other warps have to hide. Should move, against
// mma_atomic: launches, by two; DRAM bytes, down by dQ in fp32 written once and read once; stalls on memory's
// barriers, up.
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/mma_fused.cuh"

namespace ablate::window_attention_backward {

void differentiate_by_atomics_then_round_by_mma(launcher& to, const problem& p) {
  compute_row_statistics(to, p);
  with_fused_shape(p.attention.width,
                   [&](auto shape) { launch_fused<query_sums::shared_then_rounded>(to, p, shape); });
}

}  // namespace ablate::window_attention_backward
