#include "base/statistics/holm.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace ablate::gate {

std::vector<double> holm_adjusted(const std::vector<double>& p) {
  for (double value : p)
    if (!(value >= 0 && value <= 1)) throw std::invalid_argument("a p-value is not between 0 and 1");
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> out(p.size());
  double highest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    highest = std::max(highest, std::min(1.0, static_cast<double>(p.size() - i) * p[order[i]]));
    out[order[i]] = highest;
  }
  return out;
}

}  // namespace ablate::gate
