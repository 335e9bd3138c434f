#pragma once

#include <string>
#include <vector>

#include "reports/ablation/ablation.h"
#include "reports/views/record_tables.h"

namespace ablate::reports {

/// A waterfall as shown in every form of the report.
struct waterfall_table {
  std::string heading;  ///< "direct to merged, 2.00× (1.88 to 2.13), FASTER; points=65536, cold-clean"
  table steps;
};

/// The text and tables of an operation's ablation; a table without lines is not shown.
struct ablation_tables {
  std::string how;  ///< what the intervals and verdicts rest on
  /// One line per switch and pair of values with a certain effect in some case, by evidence: the cases with a
  /// certain effect, each with the logarithm of its ratio.
  table worths;
  std::size_t more_worths = 0;     ///< lines left out
  std::size_t without_effect = 0;  ///< pairs of values none of whose cases has a certain effect
  std::vector<waterfall_table> waterfalls;
  std::vector<std::string> without_waterfall;  ///< sentences about the other workloads
  table crossovers, interactions;
  std::size_t more_crossovers = 0, more_interactions = 0;
};

ablation_tables tables_of(const operation_view&, const operation_ablation&, const effect_limits&);

/// "1.25 (1.20 to 1.30)", or "1.25 (unbounded)".
std::string ratio_with_interval(double ratio, double low, double high);
/// "DRAM read (MB) 12.00 → 6.000 (−50 %)"
std::string text_of(const moved_metric&);

}  // namespace ablate::reports
