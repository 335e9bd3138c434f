#include "base/statistics/rank_sum.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/statistics/critical.h"

namespace ablate::gate {
namespace {

constexpr std::size_t largest_exact = 20;

double normal_cumulative(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

std::optional<std::size_t> approximate_critical(double m, double n, double level) {
  const double mean = m * n / 2;
  const double deviation = std::sqrt(m * n * (m + n + 1) / 12);
  const auto at_most = [&](double u) { return normal_cumulative((u + 0.5 - mean) / deviation); };
  if (at_most(0) > level) return std::nullopt;
  double low = 0, high = mean;
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (at_most(middle) <= level ? low : high) = middle;
  }
  return static_cast<std::size_t>(low);
}

}  // namespace

std::vector<double> rank_sum_cumulative(std::size_t m, std::size_t n) {
  // The largest of all is of the second sample with probability j / (i + j), and is then above i others.
  std::vector<std::vector<double>> row(n + 1, std::vector<double>{1.0});
  for (std::size_t i = 1; i <= m; ++i) {
    std::vector<std::vector<double>> next(n + 1);
    next[0] = {1.0};
    for (std::size_t j = 1; j <= n; ++j) {
      const double second = static_cast<double>(j) / static_cast<double>(i + j);
      std::vector<double>& to = next[j];
      to.assign(i * j + 1, 0.0);
      for (std::size_t u = 0; u < row[j].size(); ++u) to[u] += (1 - second) * row[j][u];
      for (std::size_t u = 0; u < next[j - 1].size(); ++u) to[u + i] += second * next[j - 1][u];
    }
    row = std::move(next);
  }
  std::vector<double> out = std::move(row[n]);
  std::partial_sum(out.begin(), out.end(), out.begin());
  return out;
}

std::optional<std::size_t> rank_sum_critical(std::size_t m, std::size_t n, double level) {
  if (m > largest_exact || n > largest_exact)
    return approximate_critical(static_cast<double>(m), static_cast<double>(n), level);
  return last_within(rank_sum_cumulative(m, n), level);
}

double mann_whitney_p(const std::vector<double>& first, const std::vector<double>& second) {
  if (first.empty() || second.empty()) throw std::invalid_argument("a sample is empty");
  std::vector<std::pair<double, bool>> all;
  for (double value : first) all.emplace_back(value, false);
  for (double value : second) all.emplace_back(value, true);
  for (const auto& [value, is_second] : all)
    if (!std::isfinite(value)) throw std::invalid_argument("a sample is not finite");
  std::sort(all.begin(), all.end());

  const double m = static_cast<double>(first.size()), n = static_cast<double>(second.size());
  double ranks_of_second = 0, tie_term = 0;
  for (std::size_t from = 0; from < all.size();) {
    std::size_t to = from;
    while (to < all.size() && all[to].first == all[from].first) ++to;
    const double tied = static_cast<double>(to - from);
    const double rank = (static_cast<double>(from + to) + 1) / 2;
    for (std::size_t i = from; i < to; ++i) ranks_of_second += all[i].second ? rank : 0;
    tie_term += tied * tied * tied - tied;
    from = to;
  }
  const double u = ranks_of_second - n * (n + 1) / 2;
  const double variance = m * n / 12 * (m + n + 1 - tie_term / ((m + n) * (m + n - 1)));
  if (!(variance > 0)) return 1;
  const double distance = std::max(0.0, std::fabs(u - m * n / 2) - 0.5);
  return std::min(1.0, 2 * normal_cumulative(-distance / std::sqrt(variance)));
}

}  // namespace ablate::gate
