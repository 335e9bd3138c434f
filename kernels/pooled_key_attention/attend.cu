// Attention to pooled keys and values, made of other operations' kernels.
//   k̄, v̄ = means of blocks, after them special tokens; O = softmax(q·k̄ᵀ)·v̄ of all tokens. Where lists are
// given, means are there already.
// Switch: `core` is that of dense_attention.
// Should move, against that: time, by the size of a block.
#include "kernels/global_attention/forms.h"
#include "kernels/pooled_key_attention/launches.h"

namespace ablate::pooled_key_attention {

void attend(launcher& to, const problem& p, const switches& s) {
  if (p.chooses())
    for (const block_sparse_selection::block_means& of : means_of(p))
      block_sparse_selection::take_means(to, of);
  if (p.work != phase::choose && !p.stops_ahead) global_attention::dense_form_of(s)(to, attention_of(p), s);
}

}  // namespace ablate::pooled_key_attention
