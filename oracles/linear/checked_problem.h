#pragma once

#include "kernels/linear/linear.h"
#include "oracles/common/dense/comparison.h"
#include "oracles/common/dense/made.h"

// A layer with what its comparison needs besides, its generated inputs, and the oracle in fp64.

namespace ablate::linear {

using dense_layers::comparison;
using dense_layers::judged;

/// An element that the check reads itself. Of the weight's gradient, the column past the last is the
/// bias's.
struct sampled_element {
  std::int32_t of;  ///< output
  std::int32_t column;
  std::int64_t row;
};

struct checked_problem : problem {
  std::int64_t alike = 0;  ///< rows at the end that may be equal, as padding rows are
  std::uint64_t seed = 1;
  float weight_spread = 1;  ///< standard deviation of the weights: 1 / √K

  double* plain = nullptr;  ///< [rows][2], for the comparison: mean and 1 / deviation of the rows
  const sampled_element* samples = nullptr;  ///< [sample_count]
  std::int64_t sample_count = 0;
  comparison* found = nullptr;   ///< [output_count], by the comparison
  float* sampled_out = nullptr;  ///< [sample_count], by the comparison

  ABLATE_ON_BOTH std::int64_t rows_of(output of) const {
    return of == output::weight_gradient ? outputs : rows;
  }
  ABLATE_ON_BOTH int columns_of(output of) const {
    return of == output::y ? columns() : of == output::input_gradient ? inputs : inputs + 1;
  }
  ABLATE_ON_BOTH bool is_alike(std::int64_t row) const { return row >= rows - alike; }
};

/// Inputs as they are in memory.
ABLATE_ON_BOTH inline std::uint16_t generated_weight(const checked_problem& p, std::int64_t at) {
  return dense_layers::generated_bf16(p.seed, dense_layers::tensor::weight, at, p.weight_spread);
}
ABLATE_ON_BOTH inline std::uint16_t generated_bias(const checked_problem& p, std::int64_t at) {
  return dense_layers::generated_bf16(p.seed, dense_layers::tensor::bias, at, 0.25f);
}
constexpr float gamma_spread = 0.125f, beta_spread = 0.25f;

/// An element of an output by the oracle in fp64, from inputs that it makes itself.
judged reference_element(const checked_problem&, const sampled_element&);

}  // namespace ablate::linear
