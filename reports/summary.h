#pragma once

#include <string>
#include <vector>

#include "reports/plots.h"

namespace ablate::reports {

/// The plots of one operation and whether they were drawn.
struct operation_plots {
  std::vector<plot> scaling, speed_up, floor, merging;
  std::size_t scaling_left_out = 0;  ///< groups beyond the limit
};

/// One record's part of summary.md: `heading` is its title line. `plots` has one element an operation_view;
/// `drawn` tells which of them have an SVG beside the summary.
std::string record_summary(const record&, const std::vector<operation_view>&,
                           const std::vector<operation_plots>& plots, bool drawn);

}  // namespace ablate::reports
