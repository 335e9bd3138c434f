#include "reports/views/leading.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ablate::reports {

std::string fastest_on(const comparable_cases& row) {
  if (row.by_variant.size() < 2) return "";
  return std::min_element(
             row.by_variant.begin(), row.by_variant.end(),
             [](const auto& a, const auto& b) { return a.second->time.median_us < b.second->time.median_us; })
      ->first;
}

std::vector<std::string> leading_variants(const operation_view& view) {
  struct standing {
    std::size_t wins = 0, rows = 0;
    double logs = 0;  ///< of the time over the fastest's
    double distance() const { return rows > 0 ? logs / static_cast<double>(rows) : INFINITY; }
  };
  std::map<std::string, standing> standings;
  for (const comparable_cases& row : view.rows) {
    const std::string fastest = fastest_on(row);
    if (fastest.empty()) continue;
    ++standings[fastest].wins;
    for (const auto& [variant, c] : row.by_variant) {
      ++standings[variant].rows;
      standings[variant].logs += std::log(c->time.median_us / row.of(fastest)->time.median_us);
    }
  }
  std::vector<std::string> out = view.variants;
  if (out.size() < 2) return out;
  std::stable_sort(out.begin() + 1, out.end(), [&](const std::string& a, const std::string& b) {
    const standing &first = standings[a], &second = standings[b];
    return first.wins != second.wins ? first.wins > second.wins : first.distance() < second.distance();
  });
  return out;
}

}  // namespace ablate::reports
