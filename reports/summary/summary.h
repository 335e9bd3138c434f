#pragma once

#include <string>

#include "reports/sections/record_report.h"

namespace ablate::reports {

/// One record's part of summary.md; `drawn` says whether the plots' SVGs are in plots/ next to the summary.
std::string record_summary(const record_report&, bool drawn);

}  // namespace ablate::reports
