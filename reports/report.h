#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace ablate {

/// Writes the report of one record, or of several records of different devices (a section each). Several of
/// one device are launches of one suite, seed and build: the first is shown, what each switch is worth rests
/// on all. out/summary.md, out/cases.csv, out/speedup.csv, out/ablation.csv, out/unmeasured.csv,
/// out/plots/specs/*.vl.json (Vega-Lite) and, where node and its packages are there, out/plots/*.svg; where
/// the packages are, out/report.html, which holds everything and opens without a network; the summary says so
/// where they are not. Plots and the page of an earlier report in `out` are removed. With a history
/// (reports/history/database.h), each operation has plots of its cases' medians by date too. Throws bad_input
/// for a record or a history that cannot be read and for records of one device that differ in more than the
/// launch, std::runtime_error when a file cannot be written.
void write_report(const std::vector<std::filesystem::path>& records, const std::filesystem::path& out,
                  const std::optional<std::filesystem::path>& history = std::nullopt);

}  // namespace ablate
