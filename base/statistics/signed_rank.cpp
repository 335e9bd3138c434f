#include "base/statistics/signed_rank.h"

#include <numeric>

#include "base/statistics/critical.h"

namespace ablate::gate {

std::vector<double> signed_rank_cumulative(std::size_t n) {
  // Each rank is above zero or not with probability 1/2; every step is exact in binary for n up to 52.
  std::vector<double> probability(n * (n + 1) / 2 + 1, 0.0);
  probability[0] = 1;
  std::size_t highest = 0;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    highest += rank;
    for (std::size_t w = highest + 1; w-- > 0;)
      probability[w] = (probability[w] + (w >= rank ? probability[w - rank] : 0)) / 2;
  }
  std::partial_sum(probability.begin(), probability.end(), probability.begin());
  return probability;
}

std::optional<std::size_t> signed_rank_critical(std::size_t n, double level) {
  return last_within(signed_rank_cumulative(n), level);
}

}  // namespace ablate::gate
