#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/gated_attention_backward/gated_attention_backward.h"
#include "variants/gated_attention/buffers.h"

namespace ablate::gated_attention_backward {

/// The buffers of a problem, in their order: the forward pass's first, as there.
enum place {
  selected_out = gated_attention::places,
  out_gradient,
  q_gradient,
  k_gradient,
  v_gradient,
  gate_gradients,
  compressed_gradient,
  pooled_q_gradient,
  pooled_k_gradient,
  pooled_v_gradient,
  moved,
  row_scratch,
  offsets,
  queries,
  count_memory,
  sort_memory,
  turned,
  turned_counts,
  statistics,
  pieces,
  gradient_samples,
  gradients_found,
  sampled_gradients,
  sampled_gates,
  sampled_lists,
  plain_delta,
  gradient_reference,
  row_gradient_reference,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::gated_attention_backward
