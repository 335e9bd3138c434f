#include "oracles/gated_attention_backward/checked_window_attention_backward.h"

#include "kernels/gated_attention_backward/parts.h"
#include "oracles/gated_attention_backward/findings.h"

namespace ablate::gated_attention_backward {

window_attention_backward::checked_problem compared_rows_of(const checked_problem& p) {
  window_attention_backward::checked_problem of{rows_of(p).gradients, {}};
  of.attention.batches = p.compared_heads();
  const std::int64_t first_row = p.compared_head() * of.attention.tokens;
  for (const std::uint16_t** tensor : {&of.attention.q, &of.attention.k, &of.attention.v})
    if (*tensor != nullptr) *tensor += first_row * width;
  for (std::uint16_t** tensor : {&of.attention.out, &of.q_gradient, &of.k_gradient, &of.v_gradient})
    if (*tensor != nullptr) *tensor += first_row * width;
  if (of.out_gradient != nullptr) of.out_gradient += first_row * width;
  if (of.attention.lse != nullptr) of.attention.lse += first_row;
  of.plain_delta = p.plain_delta;
  of.samples = p.samples;
  of.sample_count = p.is_sparse() ? 0 : p.forward_checks.sample_count;
  if (p.found != nullptr) of.found = &p.found->rows;
  of.sampled_gradients = p.sampled_gradients;
  of.reference = p.row_reference;
  return of;
}

}  // namespace ablate::gated_attention_backward
