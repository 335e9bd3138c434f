#pragma once

#include <string>
#include <vector>

#include "reports/sections/record_report.h"
#include "reports/summary/line_budget.h"

namespace ablate::reports {

/// The suite's exhibits: what each says, its picture and its table; empty without any. `pictures`: the
/// drawings beside the summary, one for each exhibit, or empty.
std::string exhibit_sections(const record_report&, const std::vector<std::string>& pictures,
                             const line_budget&);

}  // namespace ablate::reports
