#pragma once

#include <string>
#include <vector>

#include "reports/ablation/waterfall.h"
#include "reports/plots/plots.h"

namespace ablate::reports {

/// One plot per path, at most `limit`: the baseline's time, a bar for what each step saves or adds, and the
/// fastest variant's time.
std::vector<plot> waterfall_plots(const operation_view&, const operation_waterfalls&,
                                  const std::string& device, std::size_t limit);

}  // namespace ablate::reports
