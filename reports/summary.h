#pragma once

#include <string>
#include <vector>

#include "reports/ablation/tables.h"
#include "reports/plots.h"

namespace ablate::reports {

/// What stands beside the tables of the cases of one operation: its plots and its ablation.
struct operation_plots {
  std::vector<plot> scaling, metrics, kernels, timelines, speed_up, floor, merging, quality, pictures, trends,
      waterfalls;
  std::size_t scaling_left_out = 0;  ///< groups beyond the limit
  ablation_tables ablation;

  std::vector<const std::vector<plot>*> kinds() const {
    return {&waterfalls, &speed_up,  &quality, &pictures, &scaling, &metrics,
            &kernels,    &timelines, &floor,   &merging,  &trends};
  }
};

/// One record's part of summary.md. `plots` has one element for each operation_view; `drawn` tells whether
/// their SVGs stand in plots/ beside the summary.
std::string record_summary(const record&, const std::vector<operation_view>&,
                           const std::vector<operation_plots>& plots, bool drawn);

}  // namespace ablate::reports
