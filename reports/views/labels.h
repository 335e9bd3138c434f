#pragma once

#include <string>
#include <vector>

#include "reports/views/operation_view.h"

namespace ablate::reports {

/// "51.20 ± 0.03", the half-width with as many decimals as the median.
std::string median_with_interval(const measured_case::timing&);

/// "12.50 ± 0.40", in mJ, the half-width with as many decimals.
std::string energy_with_interval(const energy_use&);

/// "distribution=lidar, grid=128": these axes of a point.
std::string axes_text(const named_words& point, const std::vector<std::string>& axes);
/// "points 65536", "all points", "lidar": a value beside those of other axes.
std::string value_label(const operation_view&, const std::string& axis, const std::string& value);
/// The short label of a workload, "lidar, natural, grid 128": words alone, then integers with their axis; and
/// the mark of its input, where it has one.
std::string label(const operation_view&, const named_words& point, const std::vector<std::string>& axes);

}  // namespace ablate::reports
