#pragma once

#include <cmath>

#include "kernels/common/on_both.h"

namespace ablate::dense_layers {

/// log2 of the normal distribution's tail Φ(−t), t ≥ 0: a polynomial, fitted so that 2 to its power is off by
/// at most 4.3e-5 of Φ(−t) up to t = 3, and t · Φ(−t) by 3e-6 anywhere. It falls towards −∞, as the tail
/// does.
ABLATE_ON_BOTH inline float log2_normal_tail(float t) {
  constexpr float by_power[] = {-1.15079582f, -0.46036011f, -0.0512952842f, 0.00683589187f, -0.000436127215f};
  float sum = by_power[4];
  for (int power = 3; power >= 0; --power) sum = fmaf(sum, t, by_power[power]);
  return fmaf(sum, t, -1.0f);
}

}  // namespace ablate::dense_layers
