#pragma once

#include "reports/views/case_launches.h"

namespace ablate::reports {

/// The first record of several launches as reports show it: the time of a case that more than one of them
/// measured is the mean over the launches, in logarithms, with the 95 % interval of what further ones give,
/// by the model of all ratios (base/statistics/launch_ratio.h). All else is of the first launch, which alone
/// compares outputs and counts.
record over_launches(const record& first, const case_launches&);

}  // namespace ablate::reports
