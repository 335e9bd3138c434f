#pragma once

#include <string>
#include <vector>

#include "reports/sections/record_report.h"

namespace ablate::reports {

/// The drawings beside a summary, which shows them; empty where there is none.
struct summary_pictures {
  std::string answer, ladder;
  std::vector<std::string> exhibits;  ///< one for each
};

/// One record's part of summary.md, at most 250 lines: the answer to the suite's question, its ladder, its
/// exhibits, each operation, and how everything was measured.
std::string record_summary(const record_report&, const summary_pictures&);

}  // namespace ablate::reports
