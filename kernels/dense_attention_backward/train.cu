// Dense attention forward, then backward: two of compression_attention's and of its gradients' kernels, of
// all tokens. No launch depends on a number that the host would have to read, so that the whole is one CUDA
// graph.
// Switches: those of these operations: `core` which passes, `dq` how dQ is added up.
// Should move, from the published forms to the fastest: the tensor pipe's activity.
#include "kernels/dense_attention/launches.h"
#include "kernels/dense_attention_backward/launches.h"
#include "kernels/global_attention_backward/forms.h"

namespace ablate::dense_attention_backward {

void train(launcher& to, const problem& p, const switches& s) {
  if (p.is_forward()) dense_attention::attend(to, p.forward, s);
  if (p.is_backward()) global_attention_backward::differentiate_rows(to, rows_of(p), s);
}

}  // namespace ablate::dense_attention_backward
