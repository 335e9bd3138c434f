#pragma once

#include <string>

#include "reports/ablation/tables.h"

namespace ablate::reports {

/// "### What each switch is worth" and what follows from it; empty if no two variants differ in a single
/// switch. `images` is the Markdown for the waterfall plots.
std::string ablation_section(const ablation_tables&, const std::string& images);

}  // namespace ablate::reports
