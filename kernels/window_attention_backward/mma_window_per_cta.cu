// mma_atomic with all keys of a window's head in one block: 128 of them, then the next 128, past the same
// queries. So the sums of dQ are one block's, and a thread's: it stores them with the first keys, loads, adds
// and stores them with the next ones, and rounds them with the last ones; nothing is cleared before, no
// kernel rounds after, there are no atomics, and the bits are reproducible. Should move, against
// mma_atomic: launches, by two; reductions, to none, which on sm_80 are of one number each; DRAM bytes, down.
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/mma_fused.cuh"

namespace ablate::window_attention_backward {

void differentiate_by_windows_by_mma(launcher& to, const problem& p) {
  compute_row_statistics(to, p);
  with_fused_shape(p.attention.width, [&](auto shape) { launch_windows(to, p, shape); });
}

}  // namespace ablate::window_attention_backward
