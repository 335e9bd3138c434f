#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/ablation/processes.h"
#include "reports/views/operation_view.h"

namespace ablate::reports {

/// What a switch is where a variant does not state it (docs/architecture.md).
inline constexpr const char* off_value = "off";

/// A switch from one value to another.
struct switch_change {
  std::string name, from, to;
  bool operator==(const switch_change&) const = default;
};

/// The one switch in which these differ (one that a side does not state is off there); nothing if they differ
/// in none or in several.
std::optional<switch_change> single_change(const named_words& from, const named_words& to);

/// The variants of a workload that may be compared with each other: third-party kernels that a script added
/// to the record were built and measured elsewhere.
std::vector<const measured_case*> own_cases(const record&, const operation_view&, const comparable_cases&);

/// Whether two cases of one workload ran on the very same input.
bool same_input(const measured_case&, const measured_case&);

/// The effect of one switch between two variants on one workload.
struct switch_effect {
  switch_change change;
  const comparable_cases* row;
  effect measured;
  bool unequal_quality;
};

/// Every pair of variants that differ in one switch, on every workload where both were measured. A change
/// starts at the baseline's value or, failing that, at the one the record names first.
std::vector<switch_effect> switch_effects(const record&, const operation_view&, const process_launches&);

}  // namespace ablate::reports
