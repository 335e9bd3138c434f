// Attention to kept blocks forward, then backward: its bits turned around; statistics of rows; dK and dV by
// key block, dQ by query block, each from the blocks that it meets. No launch depends on a number that the
// host would have to read, so that the whole is one CUDA graph.
// Switches: those of block_sparse_attention; `core` which kernels, forward and backward.
// The same bits each time: no atomics.
// Should move, against dense_attention_backward: all of it by the kept share.
#include "kernels/block_sparse_attention/launches.h"
#include "kernels/block_sparse_attention_backward/kept_pairs.cuh"
#include "kernels/block_sparse_attention_backward/launches.h"
#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/window_attention_backward/launches.h"

namespace ablate::block_sparse_attention_backward {

void train(launcher& to, const problem& p, const switches& s) {
  if (p.is_forward()) block_sparse_attention::attend(to, p.forward, s);
  if (!p.is_backward()) return;
  turn_around(to, p);
  window_attention_backward::compute_row_statistics(to, rows_of(p));
  (s.word("core") == "hopper" ? differentiate_kept_on_hopper : differentiate_kept_by_mma)(to, p);
}

}  // namespace ablate::block_sparse_attention_backward
