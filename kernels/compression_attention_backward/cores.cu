// The gradients of attention among pooled rows, by the kernels of window_attention_backward: a head is a
// batch with one window, its rows follow each other, no table is read. `core` and `dq` say which kernel.
// Should move as there.
#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/compression_attention_backward/compression_attention_backward.h"
#include "kernels/compression_attention_backward/launches.h"
#include "kernels/window_attention_backward/cores.h"

namespace ablate::compression_attention_backward {

/// In two passes, or with dQ by reductions to fp32 sums.
void mma(launcher& to, const problem& p, const switches& s) {
  (s.word("dq") == "two_pass" ? window_attention_backward::differentiate_in_two_passes_by_mma
                              : window_attention_backward::differentiate_by_atomics_by_mma)(to, p.gradients);
}

void hopper(launcher& to, const problem& p, const switches& s) {
  window_attention_backward::differentiate_on_hopper(to, p.gradients, s.word("dq"));
}

void differentiate(launcher& to, const problem& p, const switches& s) {
  (s.word("core") == "hopper" ? hopper : mma)(to, p, s);
}

}  // namespace ablate::compression_attention_backward
