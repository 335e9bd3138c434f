#include "variants/dense_attention/buffers.h"

#include "variants/global_attention/buffers.h"

namespace ablate::dense_attention {

bound_buffers buffers_of(problem& p, checks& c) {
  using namespace global_attention;
  return joined({tensors_of(p),
                 outputs_of(p),
                 samples_of(c),
                 {bind("found", c.found, sizeof(findings), buffer_role::finding, buffer_reset::poison)},
                 sampled_rows_of(c),
                 {bind("row_reference", c.row_reference,
                       compression_attention::reference_bytes(checked_attention_of({p, c})),
                       buffer_role::reference, buffer_reset::zeros_once)}});
}

bound_buffers buffers(checked_problem& p) { return buffers_of(p, p); }

}  // namespace ablate::dense_attention
