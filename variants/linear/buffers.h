#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/linear/linear.h"

namespace ablate::linear {

/// The buffers of a problem, in their order.
enum place {
  x,
  weight,
  bias,
  bias_bf16,
  residual,
  gamma,
  beta,
  gradient,
  y,
  input_gradient,
  weight_gradient,
  bias_gradient,
  workspace,
  normed,
  product,
  partial,
  plain,
  samples,
  found,
  sampled_out,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::linear
