// The layer by Block-Sparse attention, made of other operations' kernels.
//   q̄, k̄ = means of 128 and of 64 rows; bits = what softmax(q̄·k̄ᵀ) keeps; O = attention to the key blocks
//   whose
// bits are set, and to special tokens, whose own queries attend to all in a launch behind it. Where lists are
// given, the bits are there already, and attention is all of it.
// Switches: `choice` sorts whole rows, as published, or searches each row's least kept score (`descent`);
// `core` is that of dense attention. Should move: time of the choice, which the sort makes the greater part
// of the layer; that of attention, by the kept share. Specification: gated_sparse_attention §9;
// sparse_attention_hopper §6.
#include "kernels/gated_attention/forms.h"
#include "kernels/gated_attention/parts.h"

namespace ablate::block_sparse_selection {
void sort_rows(launcher&, const problem&, const switches&);
void descent(launcher&, const problem&, const switches&);
}  // namespace ablate::block_sparse_selection

namespace ablate::compression_attention {
void kept_by_mma(launcher&, const problem&, const switches&);
void kept_on_hopper(launcher&, const problem&, const switches&);
}  // namespace ablate::compression_attention

namespace ablate::gated_attention {

void choose_blocks(launcher& to, const problem& p, const switches& s) {
  block_sparse_selection::take_means(to, query_means_of(p));
  block_sparse_selection::take_means(to, key_means_of(p));
  (s.word("choice") == "sort" ? block_sparse_selection::sort_rows : block_sparse_selection::descent)(
      to, choice_of(p), s);
}

void block_sparse(launcher& to, const problem& p, const switches& s) {
  const compression_form attend =
      s.word("core") == "hopper" ? compression_attention::kept_on_hopper : compression_attention::kept_by_mma;
  if (p.work == phase::read_back) {
    const auto found = [&](int i) { return p.found == nullptr ? nullptr : &p.found->means[i]; };
    block_sparse_selection::judge_means(to, query_means_of(p), found(0));
    block_sparse_selection::judge_means(to, key_means_of(p), found(1));
    block_sparse_selection::descent(to, choice_of(p), s);
    if (!p.stops_ahead) attend(to, kept_of(p), s);
    return;
  }
  if (!p.lists_are_given || p.work == phase::choose) choose_blocks(to, p, s);
  if (p.work == phase::choose || p.stops_ahead) return;
  attend(to, kept_of(p), s);
  if (p.layout().patches() < p.tokens) dense_form_of(s)(to, special_of(p), s);
}

}  // namespace ablate::gated_attention
