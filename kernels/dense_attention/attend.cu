// Attention of all tokens to all: compression_attention's, of all rows and without lists, in one launch.
// Switches: those of compression_attention; `core` is mma.sync or warpgroup MMAs.
// Should move, from one core to the other: the tensor pipe's activity.
#include "kernels/dense_attention/launches.h"
#include "kernels/global_attention/forms.h"

namespace ablate::dense_attention {

void attend(launcher& to, const problem& p, const switches& s) {
  global_attention::dense_form_of(s)(to, attention_of(p), s);
}

}  // namespace ablate::dense_attention
