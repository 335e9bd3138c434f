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

/// Takes pairs of launches, AB, BA, AB …; in each both programs run the cases once, in the same shuffled
/// order. Cases whose pair is broken (the environment differed) are taken again, those alone.
class alternated_pairs {
 public:
  struct parts {
    launch_source& baseline;
    launch_source& candidate;
    const gate_policy& policy;
    time_budget& budget;
    pair_journal* journal;  ///< null: nothing is kept
    std::uint64_t seed;     ///< of the orders
  };
  explicit alternated_pairs(const parts& p) : with_(p) {}

  /// Up to `pairs` of each case, in the order of the names. `phase` is a word for labels. Throws
  /// tool_failure and interrupted; what was taken is in the journal.
  std::vector<taken_pairs> take(const std::string& phase, const std::vector<std::string>& cases,
                                std::size_t pairs);

  /// Whether the journal has the next pair.
  bool next_is_known() const { return with_.journal && with_.journal->find(number_ + 1) != nullptr; }

  const std::map<std::string, std::string>& wrong() const { return wrong_; }    ///< of the candidate: reason
  const std::map<std::string, std::string>& failed() const { return failed_; }  ///< of either side
  std::size_t pairs_launched() const { return number_; }
  std::size_t broken() const { return broken_; }  ///< pairs of a case that had to be taken again
  /// By case the p-values of single pairs of launches.
  const std::map<std::string, std::vector<double>>& single_launch_p() const { return single_launch_p_; }

 private:
  launched_pair next_pair(const std::string& phase, const std::vector<std::string>& cases);
  launched_pair launched(const std::string& label, const std::vector<std::string>& cases);
  /// Why this pair does not count for the case; nothing where it does, and is entered in `to`.
  std::optional<std::string> enter(const launched_pair&, const std::string& name, taken_pairs& to);

  parts with_;
  std::size_t number_ = 0, broken_ = 0;
  double last_seconds_ = 0;
  std::map<std::string, std::string> wrong_, failed_;
  std::map<std::string, std::vector<double>> single_launch_p_;
};

}  // namespace ablate::gate
