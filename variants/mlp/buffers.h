#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/mlp/mlp.h"

namespace ablate::mlp {

/// The buffers of a problem, in their order.
enum place {
  x,
  gamma,
  beta,
  first,
  second,
  first_bias,
  second_bias,
  first_bias_bf16,
  second_bias_bf16,
  gradient,
  z,
  y,
  input_gradient,
  first_gradient,
  first_bias_gradient,
  second_gradient,
  second_bias_gradient,
  norm_gradient,
  normed,
  product,
  hidden,
  hidden_gradient,
  normed_gradient,
  partial,
  workspace,
  moments,
  plain_hidden,
  plain_z_gradient,
  plain_rows,
  samples,
  found,
  sampled_out,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::mlp
