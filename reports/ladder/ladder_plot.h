#pragma once

#include <optional>
#include <string>

#include "reports/ladder/ladder_result.h"
#include "reports/plots/plots.h"

namespace ablate::reports {

/// The ladder as a waterfall, named `ladder`: the time where it begins, a bar for what each step saves or
/// adds, controls as whole times below their step, and the time at its end. Nothing with fewer than two
/// measured steps, or where two clocks timed them.
std::optional<plot> ladder_plot(const ladder_result&, const std::string& device);

}  // namespace ablate::reports
