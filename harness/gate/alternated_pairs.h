#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/gate/launch_source.h"
#include "harness/gate/pair_journal.h"
#include "harness/gate/time_budget.h"
#include "reports/gate/decide.h"

namespace ablate::gate {

/// Runs launch pairs AB, BA, AB …; in each pair both programs run the cases once, in the same shuffled order.
/// Only cases whose pair is broken (the environment differed) are repeated.
class alternated_pairs {
 public:
  struct parts {
    launch_source& baseline;
    launch_source& candidate;
    const gate_policy& policy;
    time_budget& budget;
    pair_journal* journal;  ///< null: nothing is saved
    std::uint64_t seed;     ///< for the case order
  };
  explicit alternated_pairs(const parts& p) : with_(p) {}

  /// Up to `pairs` pairs per case, in the order of the names. `phase` goes into the labels. Throws
  /// tool_failure and interrupted; pairs already taken are in the journal.
  std::vector<taken_pairs> take(const std::string& phase, const std::vector<std::string>& cases,
                                std::size_t pairs);

  /// Whether the journal already holds the next pair.
  bool next_is_known() const { return with_.journal && with_.journal->find(number_ + 1) != nullptr; }

  const std::map<std::string, std::string>& wrong() const {
    return wrong_;
  }  ///< candidate only: reason by case
  const std::map<std::string, std::string>& failed() const { return failed_; }  ///< on either side
  std::size_t pairs_launched() const { return number_; }
  std::size_t broken() const { return broken_; }  ///< pairs of single cases that did not count
  /// The p-values of single launch pairs, by case.
  const std::map<std::string, std::vector<double>>& single_launch_p() const { return single_launch_p_; }

 private:
  launched_pair next_pair(const std::string& phase, const std::vector<std::string>& cases);
  launched_pair launched(const std::string& label, const std::vector<std::string>& cases);
  /// Adds the pair to `to`; if it does not count for the case, returns why.
  std::optional<std::string> enter(const launched_pair&, const std::string& name, taken_pairs& to);

  parts with_;
  std::size_t number_ = 0, broken_ = 0;
  double last_seconds_ = 0;
  std::map<std::string, std::string> wrong_, failed_;
  std::map<std::string, std::vector<double>> single_launch_p_;
};

}  // namespace ablate::gate
