#pragma once

#include <string>

namespace ablate::reports {

/// As documents have numbers: "131 072.5", ungrouped below 10 000. `how`: "#3", three significant digits, of
/// which the whole part is never shortened; ".2", two digits behind the point.
std::string rounded_number(double value, const std::string& how);

}  // namespace ablate::reports
