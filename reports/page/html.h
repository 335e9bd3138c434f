#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reports/sections/record_report.h"
#include "reports/side_by_side/side_by_side.h"

namespace ablate::reports {

/// Writes a page that contains everything about these records and opens from a file: data, plots, scripts and
/// the Vega runtime from the renderer's directory; without that runtime everything but the plots. `sides` is
/// null for one record. Returns nothing, or one line saying what is missing and what to do about it: the
/// plots, or the page itself, in which case an earlier report's page is removed. Throws std::runtime_error if
/// it cannot be written.
std::optional<std::string> write_html(const std::vector<record_report>&, const side_by_side* sides,
                                      const std::filesystem::path& page);

/// The same for plots alone, of a history's series, which belong to no record. Without the runtime there is
/// no page.
std::optional<std::string> write_plot_page(const std::string& title, const std::vector<plot>&,
                                           const std::filesystem::path& page);

/// The same for all records of a folder (collection_data.h); it needs no runtime.
std::optional<std::string> write_collection_page(const std::string& title, const nlohmann::ordered_json& data,
                                                 const std::filesystem::path& page);

}  // namespace ablate::reports
