// The variants of the cores by mma.sync, each by its switches; the kernels are in the files named next to
// them. A variant with `rows=contiguous` runs the same kernels without a table. Should move: see the kernels'
// files; with computed rows, loads of a table entry per tile, to none.
#include "kernels/common/switches.h"
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/launches.h"

namespace ablate::window_attention_backward {

void mma(launcher& to, const problem& p, const switches& s) {
  if (!p.does(phase::differentiate)) return;
  problem found = p;
  if (s.word("rows") == "contiguous") found.attention.scope = nullptr;
  const text_view dq = s.word("dq");
  if (dq == "two_pass")
    differentiate_in_two_passes_by_mma(to, found);  // mma_two_pass.cu
  else if (dq == "split_kv")
    differentiate_in_parts_by_mma(to, found);  // mma_split_kv.cu
  else if (dq == "window_per_cta")
    differentiate_by_windows_by_mma(to, found);  // mma_window_per_cta.cu
  else if (s.has("rounding"))
    differentiate_by_atomics_then_round_by_mma(to, found);  // mma_rounded.cu
  else
    differentiate_by_atomics_by_mma(to, found);  // mma_atomic.cu
}

}  // namespace ablate::window_attention_backward
