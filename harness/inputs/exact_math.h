#pragma once

#include <cstdint>

namespace ablate {

struct sine_cosine {
  double sine;
  double cosine;
};

/// Sine and cosine of an angle given in turns (1 = 360°), |turns| < 2^60, to about 1e-16. Uses only additions
/// and multiplications, so the result is bit-identical on every machine, which no libm guarantees.
constexpr sine_cosine sine_cosine_of_turns(double turns) {
  const double quarters = turns * 4;
  const auto quarter = static_cast<std::int64_t>(quarters + (quarters < 0 ? -0.5 : 0.5));
  const double x = (quarters - static_cast<double>(quarter)) * 1.5707963267948966;  // |x| <= pi/4
  const double s = x * x;
  const double sine =
      x * (1 + s * (-1. / 6 +
                    s * (1. / 120 +
                         s * (-1. / 5040 +
                              s * (1. / 362880 + s * (-1. / 39916800 +
                                                      s * (1. / 6227020800 + s * (-1. / 1307674368000))))))));
  const double cosine =
      1 + s * (-1. / 2 +
               s * (1. / 24 +
                    s * (-1. / 720 +
                         s * (1. / 40320 + s * (-1. / 3628800 +
                                                s * (1. / 479001600 + s * (-1. / 87178291200 +
                                                                           s * (1. / 20922789888000))))))));
  switch (quarter & 3) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

}  // namespace ablate
