#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/compression_attention/compression_attention.h"

namespace ablate::compression_attention {

/// The buffers of a problem, in their order.
enum place {
  q,
  k,
  v,
  out,
  lse,
  table,
  scratch,
  samples,
  found,
  sampled_out,
  sampled_lse,
  sampled_table,
  reference,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::compression_attention
