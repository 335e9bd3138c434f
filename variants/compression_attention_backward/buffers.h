#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/compression_attention_backward/compression_attention_backward.h"

namespace ablate::compression_attention_backward {

/// The buffers of a problem, in their order.
enum place {
  q,
  k,
  v,
  out_gradient,
  out,
  lse,
  plain_delta,
  q_gradient,
  k_gradient,
  v_gradient,
  samples,
  found,
  sampled_gradients,
  reference,
  scratch,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::compression_attention_backward
