#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/registry/points.h"
#include "harness/version.h"

namespace ABLATE_ABI {

/// Several values of each switch.
using values_by_switch = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Every way to take one value of each switch; the first switch varies slowest.
std::vector<switch_values> combinations_of(const values_by_switch&);

}  // namespace ABLATE_ABI
