#pragma once

#include <vector>

#include "base/record/record.h"
#include "reports/plots/plots.h"

namespace ablate::reports {

/// Clocks, temperature and power at each case of a record, in its order, with the clock event reasons: one
/// plot, or none if no device state was recorded.
std::vector<plot> device_state_plots(const record&);

}  // namespace ablate::reports
