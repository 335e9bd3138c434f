#pragma once

#include <string>

#include "reports/sections/record_report.h"
#include "reports/views/operation_view.h"

namespace ablate::reports {

/// A summary's whole section on an operation. `drawn`: its plots exist, as plots/<name>.svg.
std::string operation_section(const record&, const operation_view&, const operation_plots&, bool drawn);

}  // namespace ablate::reports
