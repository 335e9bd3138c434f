#pragma once

#include <string>
#include <vector>

#include "reports/ablation/ablation.h"

namespace ablate::reports {

/// What binds the baseline and the fastest variant, on the workload with the most variants, in a sentence
/// each: the ceiling of the same run that comes nearest, with the share of it that was counted or declared,
/// and the single switch that gains most from there, with what it moved. Nothing where a record has neither
/// counters nor floors.
std::vector<std::string> advice_on(const record&, const operation_view&, const operation_ablation&);

}  // namespace ablate::reports
