#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/views/operation_view.h"

namespace ablate::reports {

/// What variants are ranked by; the least is the best.
enum class merit { time, energy, energy_delay };
/// As the command line and JSON name it; "energy-delay".
std::string_view name_of(merit);

/// What counts of a case, with its 95 % interval: µs, mJ of a launch, or mJ·µs.
struct merit_interval {
  double value, low, high;
};
/// Nothing for a case without energy, by which it is to be ranked. The interval of energy-delay is the widest
/// that those of energy and median allow.
std::optional<merit_interval> merit_of(const measured_case&, merit);

/// A variant among those measured on the same workload.
struct ranked_variant {
  const measured_case* measured;
  std::optional<std::size_t> rank;  ///< 1 is the best; nothing without what the variants are ranked by
  /// Not told from the best: by time as operation_view::is_level has it, else where their intervals meet.
  bool level_with_best;
  std::optional<speed_up> factor;  ///< of time, over the reference; nothing for the reference itself
  bool unequal_quality;            ///< its output differs in quality from the reference's
};

struct ranking {
  merit by;
  /// What factors are over: the baseline or, where that was not measured, the second best; empty if the
  /// workload has one variant.
  std::string reference;
  bool over_baseline;
  std::vector<ranked_variant> variants;  ///< the best first; those without a rank last, by time

  bool has_energy() const;  ///< any of the variants
};

/// Of all variants of the workload, or only of those in `among`.
ranking ranking_of(const operation_view&, const comparable_cases&, merit,
                   const std::vector<std::string>& among = {});

}  // namespace ablate::reports
