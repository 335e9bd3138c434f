#pragma once

#include "oracles/common/dense/exact.h"
#include "oracles/linear/checked_problem.h"

namespace ablate::linear {

/// What is right for an element of Y, on host and device: from the sums of its products (of swiglu, of gate
/// and up), the biases of these, and the residual.
ABLATE_ON_BOTH inline judged exact_y(epilogue behind, bool has_norm, const dense_layers::product_sum* sums,
                                     const double* bias, double residual) {
  using namespace dense_layers;
  const judged z = {sums[0].sum + bias[0], sums[0].tolerance(bias[0], has_norm)};
  switch (behind) {
    case epilogue::bias:
      return rounded(z);
    case epilogue::residual:
      return rounded({z.expected + residual, z.tolerance});
    case epilogue::gelu_erf:
      return rounded(exact_activated(activation::gelu_erf, z.expected, z.tolerance));
    case epilogue::gelu_tanh:
      return rounded(exact_activated(activation::gelu_tanh, z.expected, z.tolerance));
    default:
      return rounded(exact_gated(z, {sums[1].sum + bias[1], sums[1].tolerance(bias[1], has_norm)}));
  }
}

ABLATE_ON_BOTH inline judged exact_input_gradient(const dense_layers::product_sum& s) {
  return dense_layers::rounded({s.sum, dense_layers::accepted_of_products * sqrt(s.squares)});
}

/// fp32.
ABLATE_ON_BOTH inline judged exact_weight_gradient(const dense_layers::row_product_sum& s) {
  return {s.sum, s.tolerance(dense_layers::accepted_of_row_products, 0)};
}

}  // namespace ablate::linear
