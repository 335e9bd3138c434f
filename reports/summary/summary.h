#pragma once

#include <string>

#include "reports/sections/record_report.h"

namespace ablate::reports {

/// One record's part of summary.md; `drawn` tells whether the plots' SVGs stand in plots/ beside the summary.
std::string record_summary(const record_report&, bool drawn);

}  // namespace ablate::reports
