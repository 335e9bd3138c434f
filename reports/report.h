#pragma once

#include <filesystem>
#include <vector>

namespace ablate {

/// Writes the report of one record, or of several records of different devices (a section each):
/// out/summary.md, out/cases.csv, out/speedup.csv, out/unmeasured.csv, out/plots/specs/*.vl.json (Vega-Lite)
/// and, where node and its packages are there, out/plots/*.svg; where the packages are, out/report.html,
/// which holds everything and opens without a network; the summary says so where they are not. Plots and the
/// page of an earlier report in `out` are removed. Throws bad_input for a record that cannot be read and for
/// two records of one device, std::runtime_error when a file cannot be written.
void write_report(const std::vector<std::filesystem::path>& records, const std::filesystem::path& out);

}  // namespace ablate
