#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reports/views/operation_view.h"

namespace ablate::reports {

/// A variant among those measured on the same workload.
struct ranked_variant {
  const measured_case* measured;
  std::size_t rank;  ///< 1 has the shortest median
  /// Its 95 % interval meets the fastest one's: this launch does not tell the two apart.
  bool level_with_fastest;
  std::optional<speed_up> factor;  ///< over the reference; nothing for the reference itself
  bool unequal_quality;            ///< its output differs in quality from the reference's
};

struct ranking {
  /// What factors are over: the baseline or, where that was not measured, the second fastest; empty if the
  /// workload has one variant.
  std::string reference;
  bool over_baseline;
  std::vector<ranked_variant> variants;  ///< the fastest first
};

/// Of all variants of the workload, or only of those in `among`.
ranking ranking_of(const operation_view&, const comparable_cases&,
                   const std::vector<std::string>& among = {});

}  // namespace ablate::reports
