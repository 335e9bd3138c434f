#pragma once

#include <cmath>

#include "kernels/common/on_both.h"

namespace ablate::dense_layers {

/// Activations and their derivatives, as float or double: exact GELU x · Φ(x), its tanh form (Hendrycks and
/// Gimpel, arXiv 1606.08415, §2), and SiLU x · σ(x).

enum class activation { none, gelu_erf, gelu_tanh };

ABLATE_ON_BOTH inline float error_function(float x) { return erff(x); }
ABLATE_ON_BOTH inline double error_function(double x) { return erf(x); }
ABLATE_ON_BOTH inline float exponential(float x) { return expf(x); }
ABLATE_ON_BOTH inline double exponential(double x) { return exp(x); }
ABLATE_ON_BOTH inline float hyperbolic_tangent(float x) { return tanhf(x); }
ABLATE_ON_BOTH inline double hyperbolic_tangent(double x) { return tanh(x); }

template <class T>
ABLATE_ON_BOTH T gelu_erf(T x) {
  return T(0.5) * x * (T(1) + error_function(x * T(0.70710678118654752440)));
}
template <class T>
ABLATE_ON_BOTH T gelu_erf_slope(T x) {
  return T(0.5) * (T(1) + error_function(x * T(0.70710678118654752440))) +
         x * T(0.39894228040143267794) * exponential(T(-0.5) * x * x);
}

template <class T>
ABLATE_ON_BOTH T gelu_tanh(T x) {
  const T inner = T(0.79788456080286535588) * (x + T(0.044715) * x * x * x);
  return T(0.5) * x * (T(1) + hyperbolic_tangent(inner));
}
template <class T>
ABLATE_ON_BOTH T gelu_tanh_slope(T x) {
  const T inner = T(0.79788456080286535588) * (x + T(0.044715) * x * x * x);
  const T t = hyperbolic_tangent(inner);
  return T(0.5) * (T(1) + t) +
         T(0.5) * x * (T(1) - t * t) * T(0.79788456080286535588) * (T(1) + T(3 * 0.044715) * x * x);
}

/// x · σ(x); 0, not NaN, where e^−x overflows.
template <class T>
ABLATE_ON_BOTH T silu(T x) {
  return x / (T(1) + exponential(-x));
}
/// σ(x) · (1 + x · (1 − σ(x)))
template <class T>
ABLATE_ON_BOTH T silu_slope(T x) {
  const T sigmoid = T(1) / (T(1) + exponential(-x));
  return sigmoid * (T(1) + x * (T(1) - sigmoid));
}

template <class T>
ABLATE_ON_BOTH T activated(activation how, T x) {
  return how == activation::gelu_erf ? gelu_erf(x) : how == activation::gelu_tanh ? gelu_tanh(x) : x;
}
template <class T>
ABLATE_ON_BOTH T activation_slope(activation how, T x) {
  return how == activation::gelu_erf    ? gelu_erf_slope(x)
         : how == activation::gelu_tanh ? gelu_tanh_slope(x)
                                        : T(1);
}

}  // namespace ablate::dense_layers
