#pragma once

#include <cuda_bf16.h>

#include "kernels/common/launch.cuh"
#include "kernels/window_attention/window_attention.h"
#include "oracles/window_attention/deviation.h"

namespace ablate::window_attention {

/// Rows of all heads, as they follow each other in memory.
struct row_shape {
  std::int64_t batches, tokens, heads;
  int width;             ///< elements of a row
  bool by_head = false;  ///< [batches][heads][tokens][width], not [batches][tokens][heads][width]

  std::int64_t rows() const { return batches * tokens * heads; }
};
inline row_shape shape_of(const problem& p) { return {p.batches, p.tokens, p.heads, p.width}; }

/// A tensor of such rows, and what it should be.
struct compared_tensor {
  const std::uint16_t* seen;  ///< bf16
  const float* expected;      ///< as above
  const float* scale;         ///< a number a row: what its errors are divided by
};

/// Finds how far all rows of the tensor are from what they should be. Fewer than 2^32 rows.
void compare_rows(launcher&, const row_shape&, const compared_tensor&, double accepted, deviation* found);

/// The same of log-sum-exps [batches][heads][tokens].
void compare_log_sums(launcher&, const row_shape&, const float* seen, const float* expected, double accepted,
                      deviation* found);

}  // namespace ablate::window_attention
