// Attention to selected blocks by switches: `fragments`, the path of keys and values to the tensor cores;
// `shares`, what warps of a block load together, if anything. See each form's file.
#include "kernels/common/switches.h"
#include "kernels/selection_attention/launches.h"

namespace ablate::selection_attention {

void attend(launcher& to, const problem& p, const switches& s) {
  if (s.word("fragments") == "direct") return direct(to, p, s);
  if (!s.has("shares")) return staged(to, p, s);
  (s.word("shares") == "list" ? one_list : together)(to, p, s);
}

}  // namespace ablate::selection_attention
