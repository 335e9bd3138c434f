#pragma once

#include <string>
#include <vector>

#include "reports/ablation/pairs.h"

namespace ablate::reports {

/// How many cases of a change had this verdict, and which.
struct word_share {
  gate::verdict word;
  std::size_t cases;
  std::string where;  ///< "points ≥ 65536"; empty if all had it or nothing sets them apart
};

/// What a change of one switch is worth over all pairs of variants and workloads.
struct switch_worth {
  switch_change change;
  std::vector<const switch_effect*> effects;
  double worst, median, best;  ///< time ratios; above 1 the change is faster
  std::vector<word_share> words;
  bool unequal_quality;       ///< in some case
  std::size_t unlike_clocks;  ///< effects whose two cases were timed at different clocks
  double median_in_cycles;    ///< of the ratio in cycles for those, in time for the others
  std::size_t unsteady;       ///< effects whose first case itself moved between launches or GPUs
  double max_moved_pct;       ///< by as much at most
};

/// From the worst median to the best. Refers to the effects.
std::vector<switch_worth> switch_worths(const operation_view&, const std::vector<switch_effect>&);

/// Between these two values of an integer axis, the faster of two variants changes; with certainty at both.
struct crossover {
  switch_change change;
  std::string from_variant, to_variant, axis;
  std::string below, above;     ///< values of the axis; between them no verdict is certain
  bool faster_above;            ///< the change is slower below and faster above; otherwise the reverse
  const comparable_cases* row;  ///< at `above`
};

std::vector<crossover> crossovers(const operation_view&, const std::vector<switch_effect>&);

}  // namespace ablate::reports
