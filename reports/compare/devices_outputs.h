#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text/terminal.h"
#include "reports/compare/devices.h"
#include "reports/views/record_tables.h"

namespace ablate::compare {

/// A table with its heading; the same in a terminal, in Markdown and on the page.
struct device_table {
  std::string title;
  std::string note;  ///< how it is read; may be empty
  reports::table rows;
};

/// By operation, by binding ceiling, the ceilings themselves, by workload, rank flips; those that are empty
/// left out. Workloads and flips with the greatest effect come first.
std::vector<device_table> device_tables(const device_comparison&);

/// Who is faster, in how many cases, by how much: a sentence.
std::string device_answer(const device_comparison&);

/// For a terminal. Unless all are wanted, long tables are cut, and what is left out is counted.
std::string devices_text(const device_comparison&, const std::vector<record>& first,
                         const std::vector<record>& second, bool all, const reports::terminal& = {});

std::string devices_markdown(const device_comparison&, const std::vector<record>& first,
                             const std::vector<record>& second);

/// Follows reports/schema/two_devices.schema.json.
nlohmann::ordered_json devices_json(const device_comparison&, const std::vector<record>& first,
                                    const std::vector<record>& second);

}  // namespace ablate::compare
