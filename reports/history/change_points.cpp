#include "reports/history/change_points.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "base/statistics/quantile.h"

namespace ablate::history {
namespace {

/// Counts and sums of the values added so far, by rank: sums of distances in logarithmic time.
class ranked_sums {
 public:
  explicit ranked_sums(std::size_t ranks) : count_(ranks + 1), sum_(ranks + 1) {}

  void clear() {
    std::fill(count_.begin(), count_.end(), 0.0);
    std::fill(sum_.begin(), sum_.end(), 0.0);
    all_count_ = all_sum_ = 0;
  }
  void add(std::size_t rank, double value, double times) {
    for (std::size_t i = rank + 1; i < count_.size(); i += i & -i) {
      count_[i] += times;
      sum_[i] += times * value;
    }
    all_count_ += times;
    all_sum_ += times * value;
  }
  /// The sum of |value - v| over all v added.
  double distances(std::size_t rank, double value) const {
    double below = 0, sum_below = 0;
    for (std::size_t i = rank + 1; i > 0; i -= i & -i) {
      below += count_[i];
      sum_below += sum_[i];
    }
    return value * below - sum_below + (all_sum_ - sum_below) - value * (all_count_ - below);
  }

 private:
  std::vector<double> count_, sum_;
  double all_count_ = 0, all_sum_ = 0;
};

struct split {
  double statistic = 0;
  std::size_t at = 0;
};

/// The splits of one segment, in its own order and in permuted ones.
class segment {
 public:
  segment(std::span<const double> values, std::size_t shortest)
      : values_(values.begin(), values.end()),
        rank_(values.size()),
        shortest_(shortest),
        left_(values.size()),
        right_(values.size()) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values_[a] < values_[b]; });
    for (std::size_t i = 0; i < order.size(); ++i) rank_[order[i]] = i;
  }

  bool can_be_split() const { return values_.size() >= 2 * shortest_; }

  /// The split with the largest m k / (m + k) · E, where E, the energy distance of the m points before it and
  /// the k points after it, is twice their mean distance less the mean distances within each.
  split best(const std::vector<std::size_t>& order) {
    const std::size_t n = order.size();
    left_.clear();
    right_.clear();
    double within_left = 0, within_right = 0;
    for (const std::size_t i : order) {
      within_right += right_.distances(rank_[i], values_[i]);
      right_.add(rank_[i], values_[i], 1);
    }
    const double all = within_right;
    split out;
    for (std::size_t at = 1; at + shortest_ <= n; ++at) {
      const std::size_t i = order[at - 1];
      right_.add(rank_[i], values_[i], -1);
      within_right -= right_.distances(rank_[i], values_[i]);
      within_left += left_.distances(rank_[i], values_[i]);
      left_.add(rank_[i], values_[i], 1);
      if (at < shortest_) continue;
      const auto m = static_cast<double>(at), k = static_cast<double>(n - at);
      const double energy = 2 * (all - within_left - within_right) / (m * k) -
                            2 * within_left / (m * (m - 1)) - 2 * within_right / (k * (k - 1));
      const double statistic = m * k / (m + k) * energy;
      if (statistic > out.statistic) out = {statistic, at};
    }
    return out;
  }

 private:
  std::vector<double> values_;
  std::vector<std::size_t> rank_;
  std::size_t shortest_;
  ranked_sums left_, right_;
};

/// Fisher-Yates with the same result for a given seed everywhere, which std::shuffle does not guarantee.
void shuffle(std::vector<std::size_t>& order, std::mt19937_64& random) {
  for (std::size_t i = order.size(); i > 1; --i) {
    const std::uint64_t unbiased = random.max() - random.max() % i;
    std::uint64_t drawn = random();
    while (drawn >= unbiased) drawn = random();
    std::swap(order[i - 1], order[drawn % i]);
  }
}

/// The share of permutations, including the sequence itself, whose best split is as good; above the level,
/// only a lower bound of it.
double permutation_p(segment& of, std::vector<std::size_t> order, double statistic,
                     const change_options& options, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto all = static_cast<double>(options.permutations + 1);
  // Equal values in another order must count despite rounding in their sums.
  const double as_good = statistic * (1 - 1e-9);
  double found = 1;
  for (std::size_t i = 0; i < options.permutations; ++i) {
    shuffle(order, random);
    if (!(of.best(order).statistic < as_good)) ++found;
    if (found / all > options.level) break;
  }
  return found / all;
}

/// Hodges-Lehmann: the median of all differences.
double shift_between(std::span<const double> before, std::span<const double> after) {
  std::vector<double> differences;
  differences.reserve(before.size() * after.size());
  for (const double a : before)
    for (const double b : after) differences.push_back(b - a);
  return gate::median(std::move(differences));
}

/// Splits [begin, end) for as long as the splits are significant.
void divide(std::span<const double> values, std::size_t begin, std::size_t end, const change_options& options,
            std::vector<change_point>& out) {
  segment here(values.subspan(begin, end - begin), options.shortest_segment);
  if (!here.can_be_split()) return;
  std::vector<std::size_t> order(end - begin);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const split best = here.best(order);
  if (!(best.statistic > 0)) return;
  const std::uint64_t seed = options.seed + (static_cast<std::uint64_t>(begin) << 32) + end;
  const double p = permutation_p(here, order, best.statistic, options, seed);
  if (!(p <= options.level)) return;
  divide(values, begin, begin + best.at, options, out);
  out.push_back({begin + best.at, 1, p});
  divide(values, begin + best.at, end, options, out);
}

/// Fills in each change's ratio.
void measure(std::span<const double> values, std::vector<change_point>& changes) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : changes[i - 1].index;
    const std::size_t end = i + 1 == changes.size() ? values.size() : changes[i + 1].index;
    const std::size_t at = changes[i].index;
    changes[i].ratio =
        std::exp(shift_between(values.subspan(begin, at - begin), values.subspan(at, end - at)));
  }
}

}  // namespace

std::vector<change_point> change_points(std::span<const double> medians, const change_options& options) {
  std::vector<double> logs;
  for (const double median : medians) logs.push_back(std::log(median));
  std::vector<change_point> out;
  divide(logs, 0, logs.size(), options, out);
  // Smallest first: without it, its neighbors' segments are longer.
  while (!out.empty()) {
    measure(logs, out);
    const auto least = std::min_element(out.begin(), out.end(), [](const auto& a, const auto& b) {
      return std::abs(a.ratio - 1) < std::abs(b.ratio - 1);
    });
    if (std::abs(least->ratio - 1) >= options.least_effect) break;
    out.erase(least);
  }
  return out;
}

}  // namespace ablate::history
