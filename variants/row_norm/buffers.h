#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/row_norm/row_norm.h"

namespace ablate::row_norm {

/// The buffers of a problem, in their order.
enum place {
  in,
  branch,
  gradient,
  sum_gradient,
  gamma,
  beta,
  mean,
  variance,
  out,
  sum,
  statistics,
  input_gradient,
  branch_gradient,
  parameter_gradients,
  partial,
  scaled_branch,
  plain,
  samples,
  found,
  sampled_out,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::row_norm
