#include "base/statistics/launch_ratio.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "base/statistics/student.h"

namespace ablate::gate {
namespace {

/// Number, sum and sum of squares of the ratios of a GPU.
struct moments {
  double count = 0, sum = 0, squares = 0;

  void add(double value) {
    ++count;
    sum += value;
    squares += value * value;
  }
  double mean() const { return sum / count; }
  /// Of the deviations from the mean.
  double deviations() const { return std::max(0.0, squares - sum * sum / count); }
};

struct standard_error {
  double value;
  std::size_t freedom;
};

/// Launches alone.
standard_error of_launches(const moments& all) {
  return {std::sqrt(all.deviations() / (all.count - 1) / all.count), static_cast<std::size_t>(all.count) - 1};
}

/// Launches of GPUs that differ.
standard_error of_specimens(const std::map<std::uint64_t, moments>& by_specimen, const moments& all) {
  const double groups = static_cast<double>(by_specimen.size());
  double within = 0, squared_counts = 0;
  for (const auto& [specimen, of] : by_specimen) {
    within += of.deviations();
    squared_counts += of.count * of.count;
  }
  const double inner_freedom = all.count - groups;
  const double between = std::max(0.0, all.deviations() - within) / (groups - 1);
  const double noise = inner_freedom > 0 ? within / inner_freedom : 0;
  if (between <= noise) return of_launches(all);
  // The variance of the mean is a sum of both mean squares; the counts of launches may differ between GPUs.
  const double usual_count = (all.count - squared_counts / all.count) / (groups - 1);
  const double from_between = squared_counts / (all.count * all.count) / usual_count * between,
               from_noise = noise / all.count - from_between / between * noise;
  const double variance = from_between + from_noise;
  const double freedom = variance * variance /
                         (from_between * from_between / (groups - 1) +
                          (inner_freedom > 0 ? from_noise * from_noise / inner_freedom : 0));
  return {std::sqrt(variance), std::max<std::size_t>(1, static_cast<std::size_t>(freedom))};
}

/// Of an estimate that is this far on the side of a bound.
double probability(double distance, const launch_ratio& of) {
  if (of.freedom == 0) return 1;
  if (of.error == 0 && of.own_error == 0) return distance > 0 ? 0 : 1;
  const double by_spread = of.error == 0 ? 0 : student_above(distance / of.error, of.freedom);
  const double by_samples = of.own_error == 0 ? 0 : normal_above(distance / of.own_error);
  return std::clamp(std::max(by_spread, by_samples), 0.0, 1.0);
}

}  // namespace

double launch_ratio::p_above(double bound) const { return probability(estimate - bound, *this); }
double launch_ratio::p_below(double bound) const { return probability(bound - estimate, *this); }

launch_ratio ratio_over_launches(const std::vector<launched_ratio>& launches, double confidence) {
  if (launches.empty()) throw std::invalid_argument("no launch to form a ratio of");
  if (!(confidence > 0 && confidence < 1)) throw std::invalid_argument("a confidence lies between 0 and 1");
  // Deviations are summed about the first ratio, which loses no digits where all are alike.
  const double origin = launches.front().log_ratio;
  std::map<std::uint64_t, moments> by_specimen;
  moments all;
  double own_variance = 0;
  for (const launched_ratio& l : launches) {
    own_variance += l.own_error * l.own_error;
    if (!std::isfinite(l.log_ratio) || !std::isfinite(l.own_error))
      throw std::invalid_argument("a ratio of times is above zero and finite");
    by_specimen[l.specimen].add(l.log_ratio - origin);
    all.add(l.log_ratio - origin);
  }
  const double estimate = origin + all.mean();
  if (launches.size() == 1) {
    constexpr double unbounded = std::numeric_limits<double>::infinity();
    return {estimate, -unbounded, unbounded, 1, 1};
  }
  const standard_error error = by_specimen.size() < 3 ? of_launches(all) : of_specimens(by_specimen, all);
  const double tail = (1 - confidence) / 2;
  const double own_error = std::sqrt(own_variance) / all.count;
  const double half = std::max(student_quantile_above(tail, error.freedom) * error.value,
                               normal_quantile_above(tail) * own_error);
  return {estimate,           estimate - half, estimate + half, launches.size(),
          by_specimen.size(), error.value,     error.freedom,   own_error};
}

}  // namespace ablate::gate
