#pragma once

#include <cstddef>
#include <vector>

#include "reports/search/observations.h"

namespace ablate::search {

/// Measures points for a search, until a budget is spent.
class measurer {
 public:
  virtual ~measurer() = default;

  /// Compares the points' outputs with the oracle and times them in the first launch. Fewer answers than
  /// points: the budget is spent.
  virtual std::vector<answer> check(const std::vector<std::size_t>& points) = 0;
  /// Times points that were checked once more, all in one further launch. No answers: the budget is spent.
  virtual std::vector<answer> time_again(const std::vector<std::size_t>& points) = 0;
};

}  // namespace ablate::search
