#pragma once

#include <string>
#include <vector>

#include "reports/views/operation_view.h"
#include "reports/views/record_tables.h"

namespace ablate::reports {

/// How well a policy chooses among variants: its pick is in the `input.dispatch` of a workload's cases, next
/// to the times of all variants measured there.
struct policy_record {
  std::string policy;
  std::size_t judged = 0;   ///< workloads where its pick and another variant were measured
  std::size_t fastest = 0;  ///< of these: its pick is within 2 % of the best
  /// Of these: its pick is within 2 % of the best of the variants that the policy picks anywhere in the
  /// record: how well it chooses among its own candidates, whatever else exists.
  std::size_t fastest_of_own = 0;
  double median_over_best =
      0;                       ///< time of its pick over the best of all, 1 at least; 0 where none was judged
  double worst_over_best = 0;  ///< the same for the worst
  std::size_t not_measured = 0;  ///< workloads with variants, but without its pick
};

/// In the order in which the record names the policies; empty if no case names one.
std::vector<policy_record> policy_records(const operation_view&);

/// One line per policy; no lines if there are no policies.
table policy_table(const operation_view&);

}  // namespace ablate::reports
