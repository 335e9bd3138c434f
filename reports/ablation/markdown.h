#pragma once

#include <string>

#include "reports/ablation/tables.h"

namespace ablate::reports {

/// "### What each switch is worth" and what follows from it; empty where no two variants differ in one
/// switch. `images` is the Markdown of the waterfalls' plots.
std::string ablation_section(const ablation_tables&, const std::string& images);

}  // namespace ablate::reports
