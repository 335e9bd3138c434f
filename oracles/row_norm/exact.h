#pragma once

#include "oracles/row_norm/checked_problem.h"

namespace ablate::row_norm {

/// The arithmetic that both oracles share, that on the host and the plain one on the device, in fp64.

/// A row's statistics.
struct moments {
  double mean, inverse_deviation;
};

/// What an fp32 evaluation of a norm may be off by, in parts of the values that go into it.
constexpr double accepted_of_norm = 0x1p-17;
/// And an fp32 sum over rows, in units of the root of the sum of its terms' squares.
constexpr double accepted_of_sum = 0x1p-16;

/// A sum over rows for γ or β: of terms, of their squares, of their magnitudes. Each term is off by what an
/// fp32 norm is; where rows are alike, as padding is, all by the same.
ABLATE_ON_BOTH inline dense_layers::judged exact_parameter_gradient(double sum, double squares,
                                                                    double magnitudes) {
  return {sum, accepted_of_sum * sqrt(squares) + accepted_of_norm * magnitudes + 1e-30};
}

/// y, rounded once; with an activation in a launch of its own, the normalized value was rounded before.
/// `off`: by how much x may be off.
ABLATE_ON_BOTH inline dense_layers::judged exact_out(const problem& p, double x, double off, const moments& m,
                                                     double gamma, double beta) {
  using namespace dense_layers;
  if (p.kind == kind::copy) return {x, 0x1p-140};
  const double normalized = (x - m.mean) * m.inverse_deviation * gamma;
  const double z = normalized + beta, y = activated(p.act, z);
  // The difference is taken in fp32: x and the mean may be far greater than it. A mean that the kernel takes
  // is a sum of numbers that are a deviation apart, and off by 2^-21 of one: all of y where x is the mean and
  // β is 0.
  const double of_mean = p.is_layer() || p.kind == kind::batch_training ? 1 : 0;
  const double terms =
      fabs(normalized) + fabs(beta) + (fabs(x * m.inverse_deviation) + of_mean) * fabs(gamma) * 0x1p-4;
  const double before = accepted_of_norm * terms + off * fabs(m.inverse_deviation * gamma) +
                        (p.act == activation::none ? 0 : bf16_rounding(z));
  return {y, bf16_rounding(y) + 1.2 * before};
}

/// s, and the branch scaled in a launch of its own and rounded there.
ABLATE_ON_BOTH inline dense_layers::judged exact_sum(double x, double branch, double scale) {
  using namespace dense_layers;
  const double scaled = branch * scale;
  return {x + scaled, bf16_rounding(x + scaled) + (scale == 0 || scale == 1 ? 0 : bf16_rounding(scaled))};
}

/// The gradient of y through the activation, at x̂ = (x − mean) · inverse deviation.
ABLATE_ON_BOTH inline double gradient_of_norm(const problem& p, double gradient, double normalized,
                                              double gamma, double beta) {
  return gradient * dense_layers::activation_slope(p.act, normalized * gamma + beta);
}

/// What that is rounded by, in fp32: the slope is Φ(z) + z φ(z), parts of up to 1 that may cancel.
ABLATE_ON_BOTH inline double rounded_terms(const problem& p, double gradient, double of_norm) {
  return p.act == dense_layers::activation::none ? of_norm : fmax(fabs(gradient), fabs(of_norm));
}

/// The gradient of x of a layer norm: by the means over the row of ĝ = g·γ and of ĝ · x̂. `added`: on the
/// residual's path.
ABLATE_ON_BOTH inline dense_layers::judged exact_layer_gradient(double scaled_gradient, double normalized,
                                                                const moments& m, double mean_gradient,
                                                                double mean_product, double added) {
  const double of_norm = m.inverse_deviation * (scaled_gradient - mean_gradient - normalized * mean_product);
  const double terms = m.inverse_deviation * (fabs(scaled_gradient) + fabs(mean_gradient) +
                                              (1 + fabs(normalized)) * (1 + fabs(mean_product))) +
                       fabs(added);
  const double all = of_norm + added;
  return {all, dense_layers::bf16_rounding(all) + accepted_of_norm * terms};
}

/// A row's branch gets the gradient of s, scaled.
ABLATE_ON_BOTH inline dense_layers::judged exact_branch_gradient(const dense_layers::judged& of_sum,
                                                                 double scale) {
  const double right = of_sum.expected * scale;
  return {right, dense_layers::bf16_rounding(right) + scale * of_sum.tolerance};
}

/// Of padding: 0, exactly.
ABLATE_ON_BOTH inline dense_layers::judged padding() { return {0, 0x1p-140}; }

}  // namespace ablate::row_norm
