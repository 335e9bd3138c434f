#pragma once

#include <string>

#include "reports/sections/record_report.h"
#include "reports/summary/line_budget.h"

namespace ablate::reports {

/// The suite's ladder: what it says, its picture and its table; empty without one. `picture` is the drawing
/// beside the summary, or empty.
std::string ladder_section(const record_report&, const std::string& picture, const line_budget&);

}  // namespace ablate::reports
