// Attention to kept blocks, trained, against plain arithmetic on the device, and its inputs, made there.
// Nothing here is measured.
#include "kernels/common/switches.h"
#include "oracles/block_sparse_attention/launches.h"
#include "oracles/block_sparse_attention_backward/launches.h"
#include "oracles/global_attention_backward/launches.h"

namespace ablate::block_sparse_attention_backward {

void compare_parts(launcher& to, const checked_problem& p, const switches& s) {
  block_sparse_attention::compare_parts(to, p.checked_forward(), s);
  compare_kept_with_plain(to, p);
}

void make_inputs(launcher& to, const checked_problem& p, const switches& s) {
  const block_sparse_attention::checked_problem forward = p.checked_forward();
  block_sparse_attention::make_inputs(to, forward, s);
  global_attention_backward::make_out_gradient(to, forward.as_layer(), p.out_gradient);
}

}  // namespace ablate::block_sparse_attention_backward
