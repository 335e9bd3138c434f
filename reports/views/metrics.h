#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/record/record.h"

namespace ablate::reports {

/// A figure of a case derived from its counters, time and input.
struct metric {
  std::string_view name;     ///< of the field in plots and tables
  std::string_view title;    ///< with unit
  std::string_view formula;  ///< of counters, by their CUPTI names
  /// As it was read, for JSON files. Nothing if a counter that it needs was not read.
  std::optional<double> (*as_read)(const record&, const measured_case&);

  /// To be shown: nothing, too, for a share beyond its bound (base/record/bounded.h).
  std::optional<double> of(const record&, const measured_case&) const;
};

/// In the order in which reports show them. Bandwidths are counted bytes over the timed median.
std::span<const metric> case_metrics();

/// Throws std::out_of_range for a name that is not in case_metrics().
const metric& metric_named(std::string_view name);

}  // namespace ablate::reports
