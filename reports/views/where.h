#pragma once

#include <string>
#include <vector>

#include "reports/views/operation_view.h"

namespace ablate::reports {

using workload_rows = std::vector<const comparable_cases*>;

/// What all of `with` and none of `without` have: "points ≥ 65536", "distribution lidar, kitti", "hot"; empty
/// if no axis or cache state tells them apart, or if `without` is empty. The swept axis comes first.
std::string set_apart_by(const operation_view&, const workload_rows& with, const workload_rows& without);

}  // namespace ablate::reports
