#include "harness/timing/statistics.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ablate {

namespace {

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

void require_finite_samples(std::span<const double> samples) {
  if (!std::all_of(samples.begin(), samples.end(), [](double s) { return std::isfinite(s); }))
    throw std::invalid_argument("a sample is not finite");
}

/// All but the median absolute deviation.
summary summary_of_sorted(const std::vector<double>& samples) {
  summary s;
  s.minimum = samples.front();
  s.median = median_of_sorted(samples);

  // The number of samples below the true median is binomial(n, 1/2): the interval runs between the order
  // statistics at n/2 ± 2.1·√n/2, rounded outward; with fewer than six samples no two of them reach 95 %, and
  // the interval is their range. For a fixed number of samples 1.96 would do; but sampling stops when the
  // interval happens to look narrow, which lowers the coverage of 1.96 to 92 to 94 % (statistics_test.cpp).
  const double n = static_cast<double>(samples.size());
  const double reach = 2.1 * std::sqrt(n) / 2;
  const auto low = static_cast<std::size_t>(std::max(0.0, std::floor(n / 2 - reach)));
  const auto high = static_cast<std::size_t>(std::min(n - 1, std::ceil(n / 2 + reach)));
  s.ci95_low = samples[low];
  s.ci95_high = samples[high];
  return s;
}

}  // namespace

summary summarize(std::vector<double> samples) {
  if (samples.empty()) throw std::invalid_argument("no samples to summarize");
  require_finite_samples(samples);
  std::sort(samples.begin(), samples.end());
  summary s = summary_of_sorted(samples);
  for (double& sample : samples) sample = std::fabs(sample - s.median);
  std::sort(samples.begin(), samples.end());
  s.mad = median_of_sorted(samples);
  return s;
}

void ordered_samples::add(std::span<const double> samples) {
  require_finite_samples(samples);
  const auto old = static_cast<std::ptrdiff_t>(ordered_.size());
  ordered_.insert(ordered_.end(), samples.begin(), samples.end());
  std::sort(ordered_.begin() + old, ordered_.end());
  std::inplace_merge(ordered_.begin(), ordered_.begin() + old, ordered_.end());
}

double ordered_samples::relative_half_width() const {
  return summary_of_sorted(ordered_).relative_half_width();
}

}  // namespace ablate
