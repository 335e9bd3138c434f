#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/sections/record_report.h"
#include "reports/side_by_side/side_by_side.h"

namespace ablate::reports {

/// Writes a page that contains everything about these records and opens from a file: data, plots, scripts and
/// the Vega runtime from the renderer's directory. `sides` is null for one record. Returns nothing, or one
/// line saying why there is no page and what to do about it; an earlier report's page is then removed. Throws
/// std::runtime_error if it cannot be written.
std::optional<std::string> write_html(const std::vector<record_report>&, const side_by_side* sides,
                                      const std::filesystem::path& page);

/// The same for plots alone, of a history's series, which belong to no record.
std::optional<std::string> write_plot_page(const std::string& title, const std::vector<plot>&,
                                           const std::filesystem::path& page);

}  // namespace ablate::reports
