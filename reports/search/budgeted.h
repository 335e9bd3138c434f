#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "reports/search/journal.h"
#include "reports/search/measurer.h"

namespace ablate::search {

/// Points to measure in one launch.
struct batch {
  std::size_t launch;
  std::vector<std::size_t> points;
  std::vector<std::size_t> before;  ///< that this launch has already: the first one grows
};

/// Gives an answer for each point.
using measure_function = std::function<std::vector<answer>(const batch&)>;

/// Measures while a budget lasts, and journals each batch. What the journal has is not measured again: it
/// answers, and its seconds count. A batch begins only if it should end within the budget, by what a point
/// took so far.
class budgeted_measurer final : public measurer {
 public:
  /// `now_s`: a steady clock.
  budgeted_measurer(double budget_s, search_journal&, measure_function, std::function<double()> now_s);

  std::vector<answer> check(const std::vector<std::size_t>& points) override;
  std::vector<answer> time_again(const std::vector<std::size_t>& points) override;

  double spent_s() const { return spent_s_; }
  std::size_t replayed() const { return replayed_; }  ///< points that the journal answered for

 private:
  /// As many of so many points as the budget has time for.
  std::size_t affordable(std::size_t points, bool is_first_launch) const;
  std::vector<answer> measured(const batch&);

  double budget_s_, spent_s_ = 0;
  search_journal& journal_;
  measure_function measure_;
  std::function<double()> now_s_;
  std::size_t further_launches_ = 0;  ///< that were asked for
  std::size_t replayed_ = 0;
};

}  // namespace ablate::search
