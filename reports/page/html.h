#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/sections/record_report.h"
#include "reports/side_by_side/side_by_side.h"

namespace ablate::reports {

/// Writes the page that holds everything of these records and opens from a file: data, plots, scripts and the
/// Vega runtime of the renderer's directory. `sides` is null for one record. Returns nothing, or in one line
/// why there is no page and what to do about it; a page of an earlier report is removed then. Throws
/// std::runtime_error when it cannot be written.
std::optional<std::string> write_html(const std::vector<record_report>&, const side_by_side* sides,
                                      const std::filesystem::path& page);

/// The same for plots alone, of series of a history: they are of no record.
std::optional<std::string> write_plot_page(const std::string& title, const std::vector<plot>&,
                                           const std::filesystem::path& page);

}  // namespace ablate::reports
