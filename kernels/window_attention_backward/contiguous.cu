// Windows that already follow each other, the floor of all ways to find rows: the cores on Hopper and that of
// mma_two_pass with rows that are computed, no table read. Their controls: a difference is what redirection
// through the scope table costs.
// Should move, against those: loads of a table entry a tile, to none.
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/launches.h"
#include "kernels/window_attention_backward/view.cuh"

namespace ablate::window_attention_backward {

namespace {

problem without_table(const problem& p) {
  problem computed = p;
  computed.attention.scope = nullptr;
  return computed;
}

}  // namespace

void hopper_contiguous(launcher& to, const problem& p, const switches& s) {
  if (p.does(phase::differentiate)) differentiate_on_hopper(to, without_table(p), s.word("dq"));
}

void mma_contiguous(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::differentiate)) differentiate_in_two_passes_by_mma(to, without_table(p));
}

}  // namespace ablate::window_attention_backward
