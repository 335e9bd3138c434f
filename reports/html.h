#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/summary.h"

namespace ablate::reports {

/// Writes the page that holds everything of these records and opens from a file: data, plots, scripts and the
/// Vega runtime of the renderer's directory. `views` and `plots` have an element for each record, and these
/// one for each operation. Returns nothing, or in one line why there is no page and what to do about it; a
/// page of an earlier report is removed then. Throws std::runtime_error when it cannot be written.
std::optional<std::string> write_html(const std::vector<record>&,
                                      const std::vector<std::vector<operation_view>>& views,
                                      const std::vector<std::vector<operation_plots>>& plots,
                                      const std::filesystem::path& page);

/// The same for plots alone, of series of a history: they are of no record.
std::optional<std::string> write_plot_page(const std::string& title, const std::vector<plot>&,
                                           const std::filesystem::path& page);

}  // namespace ablate::reports
