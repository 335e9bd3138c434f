#pragma once

#include "kernels/dense_layers/exact.h"
#include "kernels/mlp/mlp.h"

namespace ablate::mlp {

/// A hidden element of the sums of its products and their biases; not rounded. Of gelu, part 0 alone.
ABLATE_ON_BOTH inline double exact_hidden(kind of, const dense_layers::product_sum* sums,
                                          const double* bias) {
  const double z = sums[0].sum + bias[0];
  return of == kind::gelu ? dense_layers::gelu_erf(z) : dense_layers::silu(z) * (sums[1].sum + bias[1]);
}

/// Hidden elements are products of numbers rounded to bf16 (the normalized row; where layers are launches of
/// their own, the first one's output too), and are rounded themselves: three times what one rounding of a
/// factor changes.
constexpr double accepted_of_hidden = 3 * dense_layers::accepted_of_rounded_factor;

/// Y, of the sum of its products with the hidden layer.
ABLATE_ON_BOTH inline judged exact_y(const dense_layers::product_sum& s, double bias, double x) {
  using namespace dense_layers;
  const double product = bf16_rounding(fabs(s.sum) + fabs(bias));  // by a library, before the residual
  return rounded({s.sum + bias + x, product + (accepted_of_hidden + accepted_of_products) * sqrt(s.squares)});
}

}  // namespace ablate::mlp
