#include "variants/dense_attention_backward/buffers.h"

#include "variants/dense_attention/buffers.h"
#include "variants/global_attention/buffers.h"
#include "variants/global_attention_backward/buffers.h"

namespace ablate::dense_attention_backward {

bound_buffers buffers(checked_problem& p) {
  using namespace global_attention_backward;
  const std::int64_t sampled = p.forward_checks.sample_count;
  const window_attention_backward::checked_problem compared = compared_rows_of(p);
  const auto deltas = static_cast<std::size_t>(compared.attention.batches * compared.attention.tokens);
  const auto reference = buffer_role::reference;
  const auto poison = buffer_reset::poison, once = buffer_reset::zeros_once;
  return global_attention::joined(
      {dense_attention::buffers_of(p.forward, p.forward_checks),
       gradients_of(p.forward, p),
       {bind("row_scratch", p.row_scratch, window_attention_backward::scratch_bytes(rows_of(p).gradients),
             buffer_role::scratch, poison)},
       samples_of(p, 2 * sampled),
       {bind("gradients_found", p.found, sizeof(findings), buffer_role::finding, poison)},
       sampled_gradients_of(p, sampled),
       {bind("plain_delta", p.plain_delta, sizeof(float) * deltas, reference, once),
        bind("row_gradient_reference", p.row_reference, window_attention_backward::reference_bytes(compared),
             reference, once)}});
}

}  // namespace ablate::dense_attention_backward
