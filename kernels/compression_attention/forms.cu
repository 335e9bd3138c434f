// Which kernels attend and choose: `core` mma.sync or warpgroup MMAs, `choice` how key blocks are chosen, or
// that none are; `rank_bits` and `search` forms of a choice. Each form's file says what it is and what should
// move.
#include "kernels/common/switches.h"
#include "kernels/compression_attention/launches.h"

namespace ablate::compression_attention {

using form = void (*)(launcher&, const problem&, const switches&);

form form_on_hopper(const switches& s) {
  if (s.word("choice") == "none") return hopper_attention_only;
  return s.has("search") ? hopper_threshold_skipping : hopper_threshold;
}

form form_by_mma(const switches& s) {
  const text_view choice = s.word("choice");
  if (choice == "none") return attention_only;
  if (choice == "sorted_tiles") return s.has("rank_bits") ? sorted_tiles_in_32_bits : sorted_tiles;
  if (choice == "two_pass") return two_pass;
  if (choice == "recomputed") return recomputed;
  return threshold;  // a layer's given lists as well, where it chooses them ahead
}

void attend(launcher& to, const problem& p, const switches& s) {
  (s.word("core") == "hopper" ? form_on_hopper : form_by_mma)(s)(to, p, s);
}

}  // namespace ablate::compression_attention
