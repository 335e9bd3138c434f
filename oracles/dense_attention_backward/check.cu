// Dense attention, trained, against plain arithmetic on the device, and its inputs, made there. Nothing here
// is measured.
#include "kernels/common/switches.h"
#include "oracles/dense_attention/launches.h"
#include "oracles/dense_attention_backward/launches.h"
#include "oracles/global_attention_backward/launches.h"

namespace ablate::dense_attention_backward {

void compare_parts(launcher& to, const checked_problem& p, const switches& s) {
  dense_attention::compare_with_plain(to, p.checked_forward(), s);
  global_attention_backward::compare_among_all(to, compared_rows_of(p));
}

void make_inputs(launcher& to, const checked_problem& p, const switches& s) {
  const dense_attention::checked_problem forward = p.checked_forward();
  dense_attention::make_inputs(to, forward, s);
  global_attention_backward::make_out_gradient(to, forward.as_layer(), p.out_gradient);
}

}  // namespace ablate::dense_attention_backward
