#pragma once

#include <string>
#include <vector>

#include "reports/views/operation_view.h"
#include "reports/views/record_tables.h"

namespace ablate::reports {

/// How well a policy chooses among variants: what it takes stands in the `input.dispatch` of a workload's
/// cases, beside the times of all variants that were measured there.
struct policy_record {
  std::string policy;
  std::size_t judged = 0;   ///< workloads where its pick and another variant were measured
  std::size_t fastest = 0;  ///< of these: its pick is within 2 % of the best
  /// Of these: its pick is within 2 % of the best of the variants that the policy takes anywhere in the
  /// record: how well it chooses between its own candidates, whatever else there is.
  std::size_t fastest_of_own = 0;
  double median_over_best =
      0;                       ///< time of its pick over the best of all, 1 at least; 0 where none was judged
  double worst_over_best = 0;  ///< likewise
  std::size_t not_measured = 0;  ///< workloads with variants, but without its pick
};

/// In the order in which the record names the policies; empty where no case names one.
std::vector<policy_record> policy_records(const operation_view&);

/// A line a policy; no lines where there are no policies.
table policy_table(const operation_view&);

}  // namespace ablate::reports
