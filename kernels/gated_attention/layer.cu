// The layer, made of other operations' kernels.
//   q̄, k̄, v̄ = means of blocks; C, I = softmax(q̄·k̄ᵀ)·v̄ and each row's greatest scores; S = attention to the
//   blocks in I; O = γ_c·C + γ_s·S. Launches follow each other on one stream; or a few heads at a time, on
//   one stream or on two (`branches`). Each part leaves its output in device memory; all but O are 16 times
//   smaller than Q. Where some queries attend to all tokens (those of special tokens; with first_frame=dense
//   those of the first frame), one more launch each does that ahead of the others.
// A switch names the form of each part, so that a layer of other forms is one more entry: `pooling` how
// blocks become rows, `choice` how blocks are chosen, `selection` how their tokens are attended to, `gate`
// where both are added; `forced`, where it is there, that all attend to the first frame by the dense core.
// What else a form reads from its switches, it reads from the layer's.
// Should move, from the published forms to the fastest: time of `attend`, by the choice; of the selection;
// and DRAM bytes, by a pass over O where the gate is a kernel of its own.
#include <algorithm>

#include "kernels/block_pooling/launches.h"
#include "kernels/compression_attention/launches.h"
#include "kernels/gated_attention/launches.h"
#include "kernels/gated_attention/parts.h"
#include "kernels/global_attention/forms.h"
#include "kernels/global_attention/parts.h"
#include "kernels/selection_attention/launches.h"

namespace ablate::gated_attention {

using global_attention::compression_form, global_attention::dense_form_of;

/// Attention among pooled rows, with lists unless they are given. Given ones are chosen ahead by a threshold.
compression_form compression_form_of(const problem& p, const switches& s) {
  if (s.word("choice") == "given" && p.work != phase::choose) return dense_form_of(s);
  return compression_attention::attend;
}

/// Whether the first frame's blocks, to which all queries attend, are met by the dense core, in a launch of
/// their own: as keys that all have in common they need no list, and fill its products.
bool forces_by_core(const problem& p, const switches& s) {
  return s.has("forced") && p.first_frame == first_frame::forced;
}

void select(launcher& to, const problem& p, const switches& s) {
  selection_attention::problem part = selection_of(p);
  part.forced_is_there = forces_by_core(p, s);
  const text_view selection = s.word("selection");
  if (selection == "staged")
    selection_attention::staged(to, part, s);
  else if (selection == "union")
    selection_attention::together(to, part, s);
  else
    selection_attention::direct(to, part, s);
}

/// Some heads after the others, so that the selection of some can run beside the compression of the next on a
/// second stream: while one waits for memory, the other multiplies.
void attend_by_heads(launcher& to, const problem& p, const switches& s) {
  const std::int64_t heads_a_turn = s.integer("heads_per_stream");
  const bool is_side_by_side = s.word("branches") == "two_streams";
  launcher second = to.beside();
  block_pooling::warps(to, pooling_of(p), s);
  for (std::int64_t first = 0; first < p.heads; first += heads_a_turn) {
    const problem some = some_heads(p, first, std::min(heads_a_turn, p.heads - first));
    compression_form_of(some, s)(to, compression_of(some), s);
    if (is_side_by_side) second.wait_for(to);
    select(is_side_by_side ? second : to, some, s);
  }
  if (is_side_by_side) to.wait_for(second);
}

void attend(launcher& to, const problem& p, const switches& s) {
  if (s.has("branches") && p.work == phase::attend && !p.stops_ahead) return attend_by_heads(to, p, s);
  const auto pool = s.word("pooling") == "separate" ? block_pooling::separate : block_pooling::warps;
  if (p.stops_ahead) return pool(to, pooling_of(p), s);
  if (p.work == phase::attend) {
    if (forces_by_core(p, s)) dense_form_of(s)(to, forced_of(p), s);
    // Ahead of the selection, which writes all rows behind the first frame's.
    if (p.first_frame == first_frame::dense) dense_form_of(s)(to, first_frame_of(p), s);
    if (p.layout().patches() < p.tokens) dense_form_of(s)(to, global_attention::special_of(p), s);
  }
  pool(to, pooling_of(p), s);
  compression_form_of(p, s)(to, compression_of(p), s);
  if (p.work != phase::choose) select(to, p, s);
}

}  // namespace ablate::gated_attention
