#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/block_pooling_backward/block_pooling_backward.h"

namespace ablate::block_pooling_backward {

/// The buffers of a problem, in their order.
enum place {
  qkv,  ///< one after the other, or packed; where something is normalized
  norm,
  rotations,
  pooled_gradient,  ///< q, k, v
  token_gradient,   ///< likewise; where given
  gradient,         ///< as qkv
  means,
  mean_gradients,
  samples,
  found,
  sampled_out,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::block_pooling_backward
