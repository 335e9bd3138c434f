#include "oracles/global_attention_backward/checks.h"

#include <algorithm>

namespace ablate::global_attention_backward {

compared_heads compared_heads_of(std::int64_t padded_rows, std::int64_t heads, std::int64_t sampled_head) {
  constexpr std::int64_t max_products = std::int64_t{1} << 33;
  const std::int64_t count = std::clamp<std::int64_t>(max_products / (padded_rows * padded_rows), 1, heads);
  return {std::min(sampled_head, heads - count), count};
}

window_attention_backward::checked_problem compared_rows(const compression_attention_backward::problem& rows,
                                                         const compared_heads& heads,
                                                         const checks_among_all& p,
                                                         window_attention_backward::deviations* found) {
  window_attention_backward::checked_problem of{rows.gradients, {}};
  of.attention.batches = heads.count;
  const std::int64_t first_row = heads.first * of.attention.tokens;
  for (const std::uint16_t** tensor : {&of.attention.q, &of.attention.k, &of.attention.v})
    if (*tensor != nullptr) *tensor += first_row * width;
  for (std::uint16_t** tensor : {&of.attention.out, &of.q_gradient, &of.k_gradient, &of.v_gradient})
    if (*tensor != nullptr) *tensor += first_row * width;
  if (of.out_gradient != nullptr) of.out_gradient += first_row * width;
  if (of.attention.lse != nullptr) of.attention.lse += first_row;
  of.plain_delta = p.plain_delta;
  of.samples = p.samples;
  of.sample_count = 0;
  of.found = found;
  of.sampled_gradients = p.sampled_gradients;
  of.reference = p.row_reference;
  return of;
}

}  // namespace ablate::global_attention_backward
