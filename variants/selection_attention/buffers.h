#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/selection_attention/selection_attention.h"

namespace ablate::selection_attention {

/// The buffers of a problem, in their order.
enum place {
  q,
  k,
  v,
  table,
  out,
  lse,
  samples,
  found,
  sampled_out,
  sampled_lse,
  reference,
  compressed,
  gates,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::selection_attention
