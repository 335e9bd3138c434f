#pragma once

#include <string>

namespace ablate::reports {

/// As documents have numbers: "131 072.5", ungrouped below 10 000. `how`: "#3", three significant digits,
/// but never a shortened whole part; ".2", two digits after the point.
std::string rounded_number(double value, const std::string& how);

}  // namespace ablate::reports
