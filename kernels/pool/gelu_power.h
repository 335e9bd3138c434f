#pragma once

#include <cmath>

#include "kernels/common/on_both.h"

// GELU of the erf form in a quarter of erff's instructions, for what is rounded to bf16 after it.
//   z · Φ(z) = max(z, 0) − |z| · Q(|z|), Q(t) = erfc(t / √2) / 2 = 2^p(t)
// log2 Q is smooth and nearly a parabola, so a polynomial of degree 5 does: fitted for the least greatest
// error of t · 2^p(t) on [0, 5.6]; beyond, p falls without end. Nothing cancels, for z of either sign.

namespace ablate::pool {

/// Greatest error of max(z, 0) − |z| · 2^p(|z|), for an exact power.
constexpr double gelu_power_error = 5e-7;

/// log2 of the normal distribution beyond t ≥ 0.
ABLATE_ON_BOTH inline float log2_of_tail(float t) {
  using std::fmaf;
  float p = -0x1.f0485p-12f;
  p = fmaf(p, t, 0x1.d04924p-8f);
  p = fmaf(p, t, -0x1.a89148p-5f);
  p = fmaf(p, t, -0x1.d70858p-2f);
  p = fmaf(p, t, -0x1.269a06p+0f);
  return fmaf(p, t, -0x1.000278p+0f);
}

/// GELU of a finite z, from 2^log2_of_tail(|z|).
ABLATE_ON_BOTH inline float gelu_of_tail(float z, float tail) {
  using std::fabs;
  using std::fmaf;
  using std::fmax;
  return fmaf(-fabs(z), tail, fmax(z, 0.0f));
}

}  // namespace ablate::pool
