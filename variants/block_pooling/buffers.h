#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/block_pooling/block_pooling.h"

namespace ablate::block_pooling {

/// The buffers of a problem, in their order.
enum place {
  qkv,  ///< one after the other, or packed
  norm,
  rotations,
  pooled,     ///< q, k, v
  of_tokens,  ///< likewise
  means,
  samples,
  found,
  sampled_out,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::block_pooling
