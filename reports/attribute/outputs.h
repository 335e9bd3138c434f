#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text/terminal.h"
#include "reports/attribute/attribution.h"
#include "reports/views/record_tables.h"

namespace ablate::attribute {

/// "`direct` to `merged+pdl`, 2.00× over 13 workloads"
std::string heading_of(const attribution&);

/// A line for each share and one for the whole, by workload. With `only`, those of these switches.
reports::table share_table(const attribution&, const std::vector<std::string>& only = {});

/// For a terminal: the table, sentences, and what to run for shares that are not known.
std::string attribution_text(const attribution&, const std::vector<std::string>& only,
                             const reports::effect_limits&, const reports::terminal&);

std::string attribution_markdown(const attribution&, const std::vector<std::string>& only,
                                 const reports::effect_limits&);

/// Everything, with all figures that moved. Unknown values are null.
nlohmann::ordered_json attribution_json(const attribution&);

/// A row for each share, whole and interaction of all.
void write_attribution_csv(const std::vector<attribution>&, const std::filesystem::path&);

}  // namespace ablate::attribute
