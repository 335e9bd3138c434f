#pragma once

#include <string>
#include <vector>

#include "reports/ablation/pairs.h"

namespace ablate::reports {

/// Of a change: how many cases had this word, and which.
struct word_share {
  gate::verdict word;
  std::size_t cases;
  std::string where;  ///< "points ≥ 65536"; empty where all had it or nothing tells them from the others
};

/// What a change of one switch is worth over all pairs of variants and workloads.
struct switch_worth {
  switch_change change;
  std::vector<const switch_effect*> effects;
  double worst, median, best;  ///< ratio of times; above 1 the change is faster
  std::vector<word_share> words;
  bool unequal_quality;       ///< in some case
  std::size_t unlike_clocks;  ///< effects whose two cases were timed at unlike clocks
  double median_in_cycles;    ///< of those the ratio in cycles, of the others that of times
};

/// From the worst median to the best. Refers to the effects.
std::vector<switch_worth> switch_worths(const operation_view&, const std::vector<switch_effect>&);

/// Between these two values of an integer axis another of two variants is the faster one; for sure at both.
struct crossover {
  switch_change change;
  std::string from_variant, to_variant, axis;
  std::string below, above;     ///< values of the axis; between them no word is sure
  bool faster_above;            ///< the change is slower below, faster above; else the other way round
  const comparable_cases* row;  ///< at `above`
};

std::vector<crossover> crossovers(const operation_view&, const std::vector<switch_effect>&);

}  // namespace ablate::reports
