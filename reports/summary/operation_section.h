#pragma once

#include <string>

#include "reports/sections/record_report.h"
#include "reports/summary/line_budget.h"
#include "reports/views/operation_view.h"

namespace ablate::reports {

/// A summary's whole section on an operation: who leads, which switches count, and how the baseline becomes
/// the fastest variant. Everything else is in the CSV files and on the page. `is_first`: of the summary.
std::string operation_section(const operation_view&, const operation_plots&, const line_budget&,
                              bool is_first);

}  // namespace ablate::reports
