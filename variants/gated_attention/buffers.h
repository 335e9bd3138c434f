#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/gated_attention/gated_attention.h"

namespace ablate::gated_attention {

/// The buffers of a problem, in their order.
enum place {
  q,
  k,
  v,
  gates,
  pooled_q,
  pooled_k,
  pooled_v,
  compressed,
  compressed_lse,
  table,
  kept,
  kept_counts,
  order_table,
  ordered_q,
  ordered_k,
  ordered_v,
  ordered_out,
  ordered_lse,
  int8_q,
  int8_k,
  q_scales,
  k_scales,
  int8_offsets,
  key_sums,
  key_mean,
  source_tokens,
  destination_tokens,
  appended_tokens,
  token_places,
  x,
  metric_rows,
  best,
  similarity,
  merged_q,
  merged_k,
  merged_v,
  attended,
  scratch,
  out,
  lse,
  block_samples,
  samples,
  source_samples,
  found,
  sampled_compressed,
  sampled_compressed_lse,
  sampled_table,
  sampled_kept,
  sampled_counts,
  sampled_best,
  sampled_similarity,
  sampled_out,
  sampled_lse,
  row_reference,
  selection_reference,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::gated_attention
