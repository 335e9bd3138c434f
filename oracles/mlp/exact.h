#pragma once

#include "oracles/common/dense/exact.h"
#include "oracles/mlp/checked_problem.h"

namespace ablate::mlp {

using dense_layers::judged_sum;

/// A hidden element of the sums of its products and their biases; not rounded. Of gelu, part 0 alone.
ABLATE_ON_BOTH inline double exact_hidden(kind of, const dense_layers::product_sum* sums,
                                          const double* bias) {
  const double z = sums[0].sum + bias[0];
  return of == kind::gelu ? dense_layers::gelu_erf(z) : dense_layers::silu(z) * (sums[1].sum + bias[1]);
}

/// Hidden elements are products of numbers rounded to bf16 (the normalized row; where layers are launches of
/// their own, the first one's output too), and are rounded themselves: up to three independent roundings, √3
/// times what one may change.
constexpr double accepted_of_hidden = 2 * dense_layers::accepted_of_rounded_factor;

/// Y, of the sum of its products with the hidden layer.
ABLATE_ON_BOTH inline judged exact_y(const dense_layers::product_sum& s, double bias, double x) {
  using namespace dense_layers;
  const double product = bf16_rounding(fabs(s.sum) + fabs(bias));  // by a library, before the residual
  return rounded({s.sum + bias + x, product + (accepted_of_hidden + accepted_of_products) * sqrt(s.squares)});
}

/// dZ of a hidden column by dH: of gelu, part 0 alone; of swiglu of the gate (part 0) or the other half (part
/// 1).
ABLATE_ON_BOTH inline double exact_z_gradient(kind of, int part, double of_hidden, const double* z) {
  using namespace dense_layers;
  if (of == kind::gelu) return of_hidden * gelu_erf_slope(z[0]);
  return part == 0 ? of_hidden * z[1] * silu_slope(z[0]) : of_hidden * silu(z[0]);
}
ABLATE_ON_BOTH inline double hidden_of(kind of, const double* z) {
  return of == kind::gelu ? dense_layers::gelu_erf(z[0]) : dense_layers::silu(z[0]) * z[1];
}

/// dZ is rounded, and where it has a launch of its own dH before it; for dW1, LN(X) as well.
constexpr double accepted_of_z_gradient = 1.5 * dense_layers::accepted_of_rounded_factor,
                 accepted_of_first_gradient = 2 * dense_layers::accepted_of_rounded_factor;

/// The gradient of a normalized row's element, dZ · W1, which is rounded before the norm's gradient is taken.
ABLATE_ON_BOTH inline judged_sum exact_normed_gradient(const dense_layers::product_sum& s) {
  using namespace dense_layers;
  const double of_z = s.lost(2), own = typical_rounding * s.sum;
  return {{s.sum, bf16_rounding(s.sum) + (accepted_of_z_gradient + accepted_of_products) * sqrt(s.squares)},
          sqrt(of_z * of_z + own * own)};
}

/// Of W2, whose left factor is exact, and of W1, whose factors are both rounded, dZ up to twice; fp32.
ABLATE_ON_BOTH inline judged_sum exact_second_gradient(const dense_layers::row_product_sum& s) {
  using namespace dense_layers;
  return {{s.sum, s.tolerance(accepted_of_row_products + accepted_of_rounded_factor, 1)}, s.lost(1)};
}
ABLATE_ON_BOTH inline judged_sum exact_first_gradient(const dense_layers::row_product_sum& s) {
  using namespace dense_layers;
  return {{s.sum, s.tolerance(accepted_of_row_products + accepted_of_first_gradient, 3)}, s.lost(3)};
}

/// What is known of a row for its dX: means over it of ĝ = dN · γ and of ĝ · x̂, and of |γ| times how far dN
/// may be off.
struct gradient_means {
  double gradient, product, off;
};
ABLATE_ON_BOTH inline judged exact_input_gradient(const judged& normed, double gamma, double normalized,
                                                  double inverse, const gradient_means& means,
                                                  double gradient) {
  const double right =
      inverse * (normed.expected * gamma - means.gradient - normalized * means.product) + gradient;
  const double off = inverse * (fabs(gamma) * normed.tolerance + (1 + fabs(normalized)) * means.off);
  return {right, dense_layers::bf16_rounding(right) + off + 0x1p-16 * (fabs(right) + fabs(gradient))};
}

/// Sums over rows for dγ and dβ: of terms, of their squares, of those of rows that are not alike, and of how
/// far terms may be off and are typically: the squares of it where rows are off independently, itself where
/// they are alike.
struct norm_gradient_sum {
  double sum = 0, squares = 0, distinct = 0, off = 0, off_alike = 0, lost = 0, lost_alike = 0;

  ABLATE_ON_BOTH void add(const judged_sum& normed, double factor, bool is_alike) {
    const double term = normed.expected * factor, off_by = fabs(normed.tolerance * factor),
                 lost_by = fabs(normed.lost * factor);
    sum += term;
    squares += term * term;
    if (is_alike) {
      off_alike += off_by;
      lost_alike += lost_by;
    } else {
      distinct += term;
      off += off_by * off_by;
      lost += lost_by * lost_by;
    }
  }
  /// A channel's dN that is alike in all rows rounds alike.
  ABLATE_ON_BOTH judged_sum right() const {
    return {{sum, sqrt(off) + off_alike + dense_layers::accepted_of_alike_rounding * fabs(distinct) +
                      0x1p-16 * sqrt(squares) + 1e-30},
            sqrt(lost) + lost_alike};
  }
};

}  // namespace ablate::mlp
