// The variants of the forward core by mma.sync, each by its switches; the kernels are in the files named next
// to them. A variant with `rows=contiguous` runs the same kernels without a table. Should move: see the
// kernels' files.
#include "kernels/window_attention/launches.h"
#include "kernels/window_attention/mma_forward.h"

namespace ablate::window_attention {

void mma(launcher& to, const problem& p, const switches& s) {
  if (!p.does(phase::attend)) return;
  problem found = p;
  if (s.word("rows") == "contiguous") found.scope = nullptr;
  const text_view softmax = s.word("softmax");
  if (softmax == "bounded")
    attend_bounded_by_mma(to, found);  // mma_forward.cu
  else if (softmax == "fixed_max" && s.word("exp2").starts_with("bf16x2"))
    attend_in_pairs_by_mma(to, found, s);  // mma_exp2_bf16x2.cu
  else if (softmax == "fixed_max")
    attend_with_fixed_max_by_mma(to, found);  // mma_softmax.cu
  else if (s.word("normalize") == "per_tile")
    attend_normalizing_per_tile_by_mma(to, found);  // mma_softmax.cu
  else if (s.word("exponential") == "__expf")
    attend_by_natural_powers_by_mma(to, found);  // mma_softmax.cu
  else
    attend_online_by_mma(to, found);  // mma_forward.cu
}

}  // namespace ablate::window_attention
