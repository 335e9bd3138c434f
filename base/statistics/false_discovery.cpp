#include "base/statistics/false_discovery.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace ablate::gate {

std::vector<double> false_discovery_adjusted(const std::vector<double>& p) {
  for (double value : p)
    if (!(value >= 0 && value <= 1)) throw std::invalid_argument("a p-value is not between 0 and 1");
  std::vector<std::size_t> falling(p.size());
  std::iota(falling.begin(), falling.end(), std::size_t{0});
  std::sort(falling.begin(), falling.end(), [&](std::size_t a, std::size_t b) { return p[a] > p[b]; });
  std::vector<double> out(p.size());
  double least = 1;
  for (std::size_t i = 0; i < falling.size(); ++i) {
    const double rank = static_cast<double>(p.size() - i);
    least = std::min(least, static_cast<double>(p.size()) / rank * p[falling[i]]);
    out[falling[i]] = least;
  }
  return out;
}

}  // namespace ablate::gate
