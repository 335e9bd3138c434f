#pragma once

#include <string>
#include <vector>

#include "reports/views/operation_view.h"

namespace ablate::reports {

/// The variant with the least median on a workload; empty where fewer than two were measured.
std::string fastest_on(const comparable_cases&);

/// The variants by the number of these workloads on which each is the fastest of them, then by how near to
/// the fastest it comes where it was measured (geometric mean); those measured on none keep their order at
/// the end.
std::vector<std::string> fastest_first(const std::vector<std::string>& variants,
                                       const std::vector<const comparable_cases*>& workloads);

/// All variants: the baseline first, then by the number of workloads on which each is the fastest, then by
/// how near to the fastest it comes where it was measured (geometric mean).
std::vector<std::string> leading_variants(const operation_view&);

}  // namespace ablate::reports
