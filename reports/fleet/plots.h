#pragma once

#include <vector>

#include "reports/fleet/across.h"
#include "reports/fleet/fleet.h"
#include "reports/plots/plots.h"

namespace ablate::fleet {

/// Of each product: a heat map of its calibrations, a column a specimen by kind, each cell its time over its
/// kind's median; and the calibrations by deviation, those beyond the limit of an outlier named.
std::vector<reports::plot> fleet_plots(const std::vector<product>&);

/// Of each kind and operation: the same heat map of its cases, those that differ most first; at most `limit`
/// rows.
std::vector<reports::plot> across_plots(const across&, std::size_t limit);

}  // namespace ablate::fleet
