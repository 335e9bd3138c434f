#pragma once

#include <cuda_bf16.h>

#include "kernels/common/launch.cuh"
#include "kernels/window_attention/window_attention.h"

namespace ablate::window_attention {

/// A tensor of the problem's rows, and what it should be.
struct compared_tensor {
  const std::uint16_t* seen;  ///< bf16 [batches][tokens][heads][width]
  const float* expected;      ///< likewise
  const float* scale;         ///< [batches][tokens][heads]: what errors of a row are divided by
};

/// Finds how far all rows of the tensor are from what they should be.
void compare_rows(launcher&, const problem&, const compared_tensor&, double accepted, deviation* found);

/// The same of log-sum-exps [batches][heads][tokens].
void compare_log_sums(launcher&, const problem&, const float* seen, const float* expected, double accepted,
                      deviation* found);

}  // namespace ablate::window_attention
