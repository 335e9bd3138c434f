// The layer by pooled keys and values alone, made of other operations' kernels.
//   k̄, v̄ = means of blocks, behind them special tokens; O = softmax(q·k̄ᵀ)·v̄ of all tokens. It has the queries
// of dense attention and the keys of the compression branch. Where lists are given, means are there already.
// Switch: `core` is that of dense attention.
// Should move, against that: time, by the size of a block.
#include "kernels/gated_attention/forms.h"
#include "kernels/gated_attention/launches.h"
#include "kernels/gated_attention/parts.h"

namespace ablate::gated_attention {

void pooled_keys(launcher& to, const problem& p, const switches& s) {
  if (!p.lists_are_given || p.work == phase::choose)
    for (const block_sparse_selection::block_means& of : pooled_keys_of(p))
      block_sparse_selection::take_means(to, of);
  if (p.work != phase::choose && !p.stops_ahead) dense_form_of(s)(to, to_pooled_keys_of(p), s);
}

}  // namespace ablate::gated_attention
