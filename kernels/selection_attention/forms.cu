// Attention to selected blocks by the form that switches name: `fragments` how keys and values reach the
// tensor cores, `shares` what warps of a block load together, if anything. Each form's file says what it is
// and what should move.
#include "kernels/common/switches.h"
#include "kernels/selection_attention/launches.h"

namespace ablate::selection_attention {

void attend(launcher& to, const problem& p, const switches& s) {
  if (s.word("fragments") == "direct") return direct(to, p, s);
  if (!s.has("shares")) return staged(to, p, s);
  (s.word("shares") == "list" ? one_list : together)(to, p, s);
}

}  // namespace ablate::selection_attention
