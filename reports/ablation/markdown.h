#pragma once

#include <cstddef>
#include <string>

#include "reports/ablation/tables.h"

namespace ablate::reports {

/// "### What each switch is worth", with at most `most` lines; empty if no two variants differ in a single
/// switch. `explained`: with what intervals and verdicts rest on.
std::string switches_section(const ablation_tables&, std::size_t most, bool explained);

/// "### From the baseline to the fastest variant", with at most so many paths and sentences about the others;
/// empty if no path may be shown.
std::string waterfall_section(const ablation_tables&, std::size_t paths, std::size_t sentences);

}  // namespace ablate::reports
