#include "reports/gate/shift.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/statistics/rank_sum.h"
#include "base/statistics/signed_rank.h"

namespace ablate::gate {
namespace {

void check_values(const std::vector<double>& values) {
  if (values.empty()) throw std::invalid_argument("no values to estimate a shift from");
  if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }))
    throw std::invalid_argument("a value is not finite");
}

void check_share(double share) {
  if (!(share > 0 && share < 1)) throw std::invalid_argument("a confidence or level is not between 0 and 1");
}

std::vector<double> sorted_walsh_averages(const std::vector<double>& differences) {
  check_values(differences);
  std::vector<double> out;
  out.reserve(differences.size() * (differences.size() + 1) / 2);
  for (std::size_t i = 0; i < differences.size(); ++i)
    for (std::size_t j = i; j < differences.size(); ++j)
      out.push_back(differences[i] / 2 + differences[j] / 2);
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<double> negated(std::vector<double> values) {
  for (double& value : values) value = -value;
  return values;
}

bool has_both_orders(const ordered_pairs& of) {
  return !of.baseline_first.empty() && !of.candidate_first.empty();
}

std::vector<double> all_of(const ordered_pairs& of) {
  std::vector<double> out = of.baseline_first;
  out.insert(out.end(), of.candidate_first.begin(), of.candidate_first.end());
  return out;
}

std::vector<double> sorted_crossed_averages(const ordered_pairs& of) {
  check_values(of.baseline_first);
  check_values(of.candidate_first);
  std::vector<double> out;
  out.reserve(of.baseline_first.size() * of.candidate_first.size());
  for (const double a : of.baseline_first)
    for (const double b : of.candidate_first) out.push_back(a / 2 + b / 2);
  std::sort(out.begin(), out.end());
  return out;
}

/// The sorted differences second[j] - first[i], never materialized: 64 counting passes of m + n steps each.
class ordered_differences {
 public:
  ordered_differences(std::vector<double> first, std::vector<double> second)
      : first_(std::move(first)), second_(std::move(second)) {
    std::sort(first_.begin(), first_.end());
    std::sort(second_.begin(), second_.end());
  }

  std::size_t size() const { return first_.size() * second_.size(); }

  double operator[](std::size_t index) const {
    std::uint64_t low = key(second_.front() - first_.back());
    std::uint64_t high = key(second_.back() - first_.front());
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (at_most(value(middle)) > index)
        high = middle;
      else
        low = middle + 1;
    }
    return value(low);
  }

 private:
  /// Maps numbers to integers of the same order.
  static std::uint64_t key(double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number);
    return bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63;
  }
  static double value(std::uint64_t key) {
    return std::bit_cast<double>(key >> 63 ? key & ~(std::uint64_t{1} << 63) : ~key);
  }

  std::size_t at_most(double bound) const {
    std::size_t count = 0, end = 0;
    for (double from : first_) {
      while (end < second_.size() && second_[end] - from <= bound) ++end;
      count += end;
    }
    return count;
  }

  std::vector<double> first_, second_;
};

/// The median of sorted values, and the interval that leaves out `critical` values at either end.
template <class Sorted>
shift shift_of(const Sorted& sorted, std::optional<std::size_t> critical) {
  const std::size_t n = sorted.size();
  const double upper_middle = sorted[n / 2];
  const double median = n % 2 == 1 ? upper_middle : sorted[n / 2 - 1] / 2 + upper_middle / 2;
  if (!critical) return {median, -unbounded, unbounded};
  return {median, sorted[*critical], sorted[n - 1 - *critical]};
}

}  // namespace

shift paired_shift(const std::vector<double>& differences, double confidence) {
  check_share(confidence);
  const std::vector<double> walsh = sorted_walsh_averages(differences);
  return shift_of(walsh, signed_rank_critical(differences.size(), (1 - confidence) / 2));
}

double paired_lower_bound(const std::vector<double>& differences, double level) {
  check_share(level);
  const std::vector<double> walsh = sorted_walsh_averages(differences);
  const auto critical = signed_rank_critical(differences.size(), level);
  return critical ? walsh[*critical] : -unbounded;
}

double paired_upper_bound(const std::vector<double>& differences, double level) {
  return -paired_lower_bound(negated(differences), level);
}

double paired_p_above(const std::vector<double>& differences, double threshold) {
  if (!std::isfinite(threshold)) throw std::invalid_argument("a threshold is not finite");
  const std::vector<double> walsh = sorted_walsh_averages(differences);
  // W+ of the differences from the threshold is the number of Walsh averages above it; by symmetry P(W+ >= w)
  // = P(W+ <= all - w).
  const auto not_above = std::upper_bound(walsh.begin(), walsh.end(), threshold) - walsh.begin();
  return std::min(1.0, signed_rank_cumulative(differences.size())[static_cast<std::size_t>(not_above)]);
}

double paired_p_below(const std::vector<double>& differences, double threshold) {
  return paired_p_above(negated(differences), -threshold);
}

shift crossover_shift(const ordered_pairs& of, double confidence) {
  check_share(confidence);
  if (!has_both_orders(of)) return {paired_shift(all_of(of), confidence).estimate, -unbounded, unbounded};
  return shift_of(
      sorted_crossed_averages(of),
      rank_sum_critical(of.baseline_first.size(), of.candidate_first.size(), (1 - confidence) / 2));
}

double crossover_p_above(const ordered_pairs& of, double threshold) {
  if (!std::isfinite(threshold)) throw std::invalid_argument("a threshold is not finite");
  if (!has_both_orders(of)) {
    check_values(all_of(of));
    return 1;
  }
  const std::vector<double> averages = sorted_crossed_averages(of);
  // U of the one order against the mirrored other is the number of averages above the threshold.
  const auto not_above = std::upper_bound(averages.begin(), averages.end(), threshold) - averages.begin();
  const auto cumulative = rank_sum_cumulative(of.baseline_first.size(), of.candidate_first.size());
  return std::min(1.0, cumulative[static_cast<std::size_t>(not_above)]);
}

double crossover_p_below(const ordered_pairs& of, double threshold) {
  return crossover_p_above({negated(of.baseline_first), negated(of.candidate_first)}, -threshold);
}

double smallest_crossover_p(std::size_t pairs) {
  const std::size_t first = (pairs + 1) / 2, second = pairs / 2;
  return second == 0 ? 1 : rank_sum_cumulative(first, second).front();
}

shift unpaired_shift(const std::vector<double>& first, const std::vector<double>& second, double confidence) {
  check_share(confidence);
  check_values(first);
  check_values(second);
  return shift_of(ordered_differences(first, second),
                  rank_sum_critical(first.size(), second.size(), (1 - confidence) / 2));
}

}  // namespace ablate::gate
