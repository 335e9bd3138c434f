#pragma once

#include <string>

#include "reports/sections/record_report.h"

namespace ablate::reports {

/// One record's part of summary.md, at most 250 lines: the answer to the suite's question, each operation,
/// and how everything was measured. `picture` is the answer's drawing beside the summary, or empty.
std::string record_summary(const record_report&, const std::string& picture);

}  // namespace ablate::reports
