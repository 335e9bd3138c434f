// Attention to kept blocks, from other operations' kernels.
//   q̄, k̄ = means of 128 and of 64 rows; bits = what softmax(q̄·k̄ᵀ) keeps; O = attention to the key blocks
// whose bits are set, and to special tokens; a second launch lets special queries attend to all tokens. With
// given lists the bitmap is an input, and only attention runs. With another order of patches, q, k and v are
// permuted before and O and the log-sum-exp after; int8 products need rows quantized before. Switches:
// `choice` sorts whole rows, as published, or searches each row's least kept score (`descent`); `core` is
// that of dense_attention.
// Should move: time of the choice, with the sort most of the layer; that of attention, by the kept share.
#include "kernels/block_sparse_attention/launches.h"
#include "kernels/block_sparse_selection/launches.h"
#include "kernels/compression_attention/launches.h"
#include "kernels/global_attention/forms.h"
#include "kernels/global_attention/parts.h"

namespace ablate::block_sparse_attention {

void choose_blocks(launcher& to, const problem& p, const switches& s) {
  block_sparse_selection::take_means(to, query_means_of(p));
  block_sparse_selection::take_means(to, key_means_of(p));
  (s.word("choice") == "sort" ? block_sparse_selection::sort_rows : block_sparse_selection::descent)(
      to, choice_of(p), s);
}

/// Means and the choice, and what else goes ahead of attention.
void prepare_attention(launcher& to, const problem& p, const problem& ordered, const switches& s) {
  if (p.moves_tokens()) move_tokens(to, p);
  if (p.chooses()) choose_blocks(to, ordered, s);
  if (p.multiplies_int8 && p.work != phase::choose)
    compression_attention::quantize(to, quantization_of(ordered));
}

void attend(launcher& to, const problem& p, const switches& s) {
  const global_attention::compression_form attend_to_kept =
      s.word("core") == "hopper" ? compression_attention::kept_on_hopper : compression_attention::kept_by_mma;
  const problem ordered = in_order(p);
  prepare_attention(to, p, ordered, s);
  if (p.work == phase::choose || p.stops_ahead) return;
  attend_to_kept(to, kept_of(ordered), s);
  if (p.layout().patches() < p.tokens)
    global_attention::dense_form_of(s)(to, global_attention::special_of(ordered), s);
  if (p.moves_tokens()) move_outputs_back(to, p);
}

}  // namespace ablate::block_sparse_attention
