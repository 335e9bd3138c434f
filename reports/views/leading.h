#pragma once

#include <string>
#include <vector>

#include "reports/views/operation_view.h"

namespace ablate::reports {

/// The variant with the least median on a workload; empty where fewer than two were measured.
std::string fastest_on(const comparable_cases&);

/// All variants: the baseline first, then by the number of workloads on which each is the fastest, then by
/// how near to the fastest it comes where it was measured (geometric mean).
std::vector<std::string> leading_variants(const operation_view&);

}  // namespace ablate::reports
