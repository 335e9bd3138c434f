#include "base/statistics/student.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace ablate::gate {

double student_above(double t, std::size_t freedom) {
  if (t < 0) return 1 - student_above(-t, freedom);
  // The finite series of Abramowitz and Stegun, 26.7.3 and 26.7.4, for P(|T| <= t).
  const double n = static_cast<double>(freedom), angle = std::atan(t / std::sqrt(n));
  const double cosine = std::cos(angle), square = cosine * cosine;
  const bool is_odd = freedom % 2 == 1;
  double term = is_odd ? cosine : 1, sum = freedom > 1 ? term : 0;
  for (std::size_t i = is_odd ? 3 : 2; i + 2 <= freedom; i += 2) {
    term *= square * static_cast<double>(i - 1) / static_cast<double>(i);
    sum += term;
  }
  const double within =
      is_odd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
  return (1 - within) / 2;
}

double student_quantile_above(double probability, std::size_t freedom) {
  if (!(probability > 0 && probability < 0.5) || freedom == 0)
    throw std::invalid_argument("no quantile of Student's t");
  double low = 0, high = 1;
  while (student_above(high, freedom) > probability) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = low + (high - low) / 2;
    (student_above(middle, freedom) > probability ? low : high) = middle;
  }
  return high;
}

double normal_above(double z) { return std::erfc(z / std::sqrt(2.0)) / 2; }

double normal_quantile_above(double probability) {
  if (!(probability > 0 && probability < 0.5))
    throw std::invalid_argument("a quantile of the upper half needs a probability between 0 and 0.5");
  double low = 0, high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (normal_above(middle) > probability ? low : high) = middle;
  }
  return low;
}

}  // namespace ablate::gate
