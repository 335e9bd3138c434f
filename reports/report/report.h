#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/claims/claims.h"
#include "reports/plots/paper_format.h"

namespace ablate {

/// What a report uses besides its records.
struct report_options {
  std::optional<std::filesystem::path> history;  ///< cases' medians by date (reports/history/database.h)
  std::vector<std::filesystem::path>
      floors;                 ///< noise floors from `ablate dev calibrate`, one file per device
  std::vector<claim> claims;  ///< judged against each record that has their operation
  std::vector<std::filesystem::path> suites =
      {};  ///< whose questions and ladders are answered instead of the records' own
  /// Where NAME.json is the suite of a record that has no question or no ladder: it was made before suites
  /// had any.
  std::optional<std::filesystem::path> published_suites = {};
  std::vector<std::string> drawn = {};  ///< variants that plots show; none: all
};

/// Writes the report of one or several records. Records of one model of device, suite, seed and build are
/// launches of one thing: the first is shown, and every ratio rests on all. Others, two builds on one
/// device or two devices, are shown side by side with a section each: out/summary.md, out/cases.csv,
/// out/speedup.csv, out/ablation.csv, out/unmeasured.csv, with several out/side_by_side.csv,
/// out/plots/specs/*.vl.json (Vega-Lite) and, if node and its packages are installed, out/plots/*.svg; if the
/// packages are, out/report.html, which contains everything and opens without a network; the summary says so
/// if they are not. Plots and the page of an earlier report in `out` are removed. Throws bad_input for a
/// record or other file that cannot be read, a record given twice, and noise floors of another device;
/// std::runtime_error if a file cannot be written.
void write_report(const std::vector<std::filesystem::path>& records, const std::filesystem::path& out,
                  const report_options& = {});

/// A plot of a report: its name, which its files share, and what it shows.
struct figure_name {
  std::string name, title;
};
std::vector<figure_name> report_figures(const std::vector<std::filesystem::path>& records,
                                        const report_options& = {});

struct drawn_figure {
  std::filesystem::path path;  ///< of the SVG
  std::string caption;  ///< what it shows, of which cases: all of its title and more than has room there
};

struct drawn_figures {
  std::vector<drawn_figure> figures;  ///< in the order of the report
  std::optional<std::string> note;    ///< one line saying why there is no PDF or PNG, or in which other font
};

/// Draws only these plots of a report, as out/NAME.svg, .pdf and .png. `names` may contain `*` for any
/// characters; "all" is every plot. Throws bad_input for an unknown name or variant, with the nearest one,
/// for a figure that does not show the chosen variants or does not fit into the format's width,
/// std::runtime_error if the SVG cannot be drawn.
drawn_figures write_figures(const std::vector<std::filesystem::path>& records,
                            const std::vector<std::string>& names, const std::filesystem::path& out,
                            const reports::paper_format& = {}, const report_options& = {});

}  // namespace ablate
