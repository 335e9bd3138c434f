// Attention among merged tokens, from other operations' kernels.
//   best = each source's most similar destination, by x; q, k, v = means of what is merged; O' = attention of
//   all that is left to all that is left; O = O' of the row that each token went into. Where lists are given,
// matches are there already. Switches: `sums` and `passes` are those of token_merging, `core` that of
// dense_attention; `matches`, where it is there, has them by warpgroup MMAs.
// Should move: time of attention, by the square of the merged rows;
// and of matching, also quadratic.
#include "kernels/global_attention/forms.h"
#include "kernels/merged_attention/launches.h"
#include "kernels/token_merging/launches.h"

namespace ablate::merged_attention {

void attend(launcher& to, const problem& p, const switches& s) {
  using token_merging::step;
  if (p.chooses()) {
    const auto match = s.has("matches") ? token_merging::match_hopper : token_merging::match_mma;
    match(to, merging_of(p, step::match), s);
  }
  if (p.work == phase::choose) return;
  token_merging::merge(to, merging_of(p, step::merge), s);
  if (p.stops_ahead) return;
  global_attention::dense_form_of(s)(to, among_merged_of(p), s);
  token_merging::unmerge(to, merging_of(p, step::unmerge), s);
}

}  // namespace ablate::merged_attention
