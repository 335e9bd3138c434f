#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/claims/claims.h"

namespace ablate {

/// What stands beside the records of a report.
struct report_options {
  std::optional<std::filesystem::path> history;  ///< cases' medians by date (reports/history/database.h)
  std::vector<std::filesystem::path> floors;  ///< noise floors of `ablate calibrate`, a file for each device
  std::vector<claim> claims;                  ///< held against each record that has their operation
};

/// Writes the report of one or several records. Records of one device, suite, seed and build are launches of
/// one thing: the first is shown, what each switch is worth rests on all. Others are laid side by side, two
/// builds on one device or two devices, and have a section each: out/summary.md, out/cases.csv,
/// out/speedup.csv, out/ablation.csv, out/unmeasured.csv, of several out/side_by_side.csv,
/// out/plots/specs/*.vl.json (Vega-Lite) and, where node and its packages are there, out/plots/*.svg; where
/// the packages are, out/report.html, which holds everything and opens without a network; the summary says so
/// where they are not. Plots and the page of an earlier report in `out` are removed. Throws bad_input for a
/// record or another file that cannot be read, for a record that is given twice, and for noise floors of
/// another device; std::runtime_error when a file cannot be written.
void write_report(const std::vector<std::filesystem::path>& records, const std::filesystem::path& out,
                  const report_options& = {});

/// A plot of a report: its name, under which its files stand, and what it shows.
struct figure_name {
  std::string name, title;
};
std::vector<figure_name> report_figures(const std::vector<std::filesystem::path>& records,
                                        const report_options& = {});

/// Draws these plots of a report, and nothing else, as out/NAME.svg, .pdf and .png. `names` may hold `*` for
/// any characters; "all" is every plot. Returns in one line why there is no PDF or PNG, or nothing. Throws
/// bad_input for a name that is none, with the nearest one, std::runtime_error where the SVG cannot be drawn.
std::optional<std::string> write_figures(const std::vector<std::filesystem::path>& records,
                                         const std::vector<std::string>& names,
                                         const std::filesystem::path& out, const report_options& = {});

}  // namespace ablate
