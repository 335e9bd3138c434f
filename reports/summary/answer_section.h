#pragma once

#include <string>

#include "reports/sections/record_report.h"
#include "reports/summary/line_budget.h"

namespace ablate::reports {

/// The suite's question and its answer; empty where nothing is asked. `picture` is the answer's drawing
/// beside the summary, or empty.
std::string answer_section(const record_report&, const std::string& picture, const line_budget&);

}  // namespace ablate::reports
