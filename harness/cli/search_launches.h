#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/cli/later_launch.h"
#include "reports/search/budgeted.h"

namespace ablate {

/// The run of a batch was interrupted. What ended is in its journal.
struct search_interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Measures the batches of a search as `ablate run` measures cases, into records that readers combine. The
/// first launch, `record.json`, has every point: each batch of it resumes the run with more of them. Further
/// ones, `record-02.json` and so on, time those that a search compares, in an order of their own.
class search_launches {
 public:
  /// `ids`: of the points' cases in the suite.
  search_launches(const suite& from, run_options, std::vector<std::string> ids, run_one_launch,
                  std::function<void()> wait);

  /// Throws search_interrupted, and std::runtime_error where a run ended before its cases.
  std::vector<search::answer> operator()(const search::batch&) const;

 private:
  void check(const search::batch&) const;
  void time_again(const search::batch&) const;
  std::filesystem::path record_of(std::size_t launch) const;

  const suite& from_;
  suite timed_;
  run_options options_;
  std::vector<std::string> ids_;
  run_one_launch run_;
  std::function<void()> wait_;
};

}  // namespace ablate
