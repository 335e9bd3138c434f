#pragma once

#include <filesystem>
#include <vector>

#include "reports/plots/plots.h"

namespace ablate {

/// Writes each plot as DIR/NAME.vl.json and, where it can be drawn, DIR/NAME.svg; says on standard error why
/// it cannot.
void write_plot_files(const std::vector<reports::plot>&, const std::filesystem::path& folder);

}  // namespace ablate
