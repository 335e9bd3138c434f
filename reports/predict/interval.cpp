#include "reports/predict/interval.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ablate::predict {

const double widest = std::log(1.5);

double scale_of(double moved) { return 0.02 + std::fabs(moved) / 2; }

double quantile_of(const std::vector<held_out_error>& errors, const std::string& but) {
  std::map<std::string, double> count;
  for (const held_out_error& e : errors)
    if (e.operation != but) ++count[e.operation];
  std::vector<std::pair<double, double>> weighted;
  for (const held_out_error& e : errors)
    if (e.operation != but)
      weighted.emplace_back(std::fabs(e.error) / scale_of(e.moved), 1 / count[e.operation]);
  std::sort(weighted.begin(), weighted.end());
  double reached = 0;
  for (const auto& [value, weight] : weighted) {
    reached += weight;
    // The sum of weights is the number of operations.
    if (reached >= coverage * static_cast<double>(count.size()) - 1e-9) return value;
  }
  return 0;
}

}  // namespace ablate::predict
