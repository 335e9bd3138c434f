#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/selection_attention_backward/selection_attention_backward.h"

namespace ablate::selection_attention_backward {

/// The buffers of a problem, in their order.
enum place {
  q,
  k,
  v,
  table,
  out,
  lse,
  out_gradient,
  offsets,
  queries,
  count_memory,
  q_gradient,
  k_gradient,
  v_gradient,
  statistics,
  pieces,
  query_sums,
  key_sums,
  samples,
  found,
  sampled_gradients,
  reference,
  compressed,
  gates,
  gate_gradients,
  compressed_gradient,
  sampled_gates,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::selection_attention_backward
