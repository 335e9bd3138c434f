#pragma once

#include <cmath>

#include "kernels/common/on_both.h"

namespace ablate {

/// log2 of the normal distribution's tail Φ(−t), t ≥ 0: a polynomial, fitted so that 2 to its power is off by
/// at most 5.5e-5 of Φ(−t) up to t = 3, and t · Φ(−t) by 3e-6 anywhere; by less than 1e-6 of it near t =
/// 0.75, where GELU(−t) has no slope and exact.h allows least. It falls towards −∞, as the tail does.
ABLATE_ON_BOTH inline float log2_normal_tail(float t) {
  constexpr float by_power[] = {-1.1508193f, -0.460169137f, -0.051514633f, 0.00692276563f, -0.000447429164f};
  float sum = by_power[4];
  for (int power = 3; power >= 0; --power) sum = fmaf(sum, t, by_power[power]);
  return fmaf(sum, t, -1.0f);
}

}  // namespace ablate
