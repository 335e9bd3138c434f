#include "base/statistics/quantile.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ablate::gate {
namespace {

void sort_checked(std::vector<double>& values) {
  if (values.empty()) throw std::invalid_argument("no values to take a quantile of");
  if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }))
    throw std::invalid_argument("a value is not finite");
  std::sort(values.begin(), values.end());
}

}  // namespace

double quantile(std::vector<double> values, double q) {
  if (!(q > 0 && q <= 1)) throw std::invalid_argument("a quantile is not between 0 and 1");
  sort_checked(values);
  // 0.99 · 100 is a little above 99 in binary.
  const double rank = std::ceil(q * static_cast<double>(values.size()) * (1 - 1e-12));
  return values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

double median(std::vector<double> values) {
  sort_checked(values);
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : values[n / 2 - 1] / 2 + values[n / 2] / 2;
}

}  // namespace ablate::gate
