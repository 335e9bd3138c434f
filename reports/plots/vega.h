#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reports/plots/marks.h"
#include "reports/views/operation_view.h"

namespace ablate::reports {

/// The text above a plot.
struct plot_heading {
  std::string title;
  std::string device, cache_state;  ///< no cache state if the cases have several
  named_words fixed;                ///< axes with one value throughout the plot
  std::string note;
  named_words usual = {};  ///< values of the axes that a label leaves out
};

/// One value of a scaling curve.
struct curve_point {
  std::string variant;
  long size;
  double us, us_low, us_high;
  std::optional<double> items;
  std::string case_name;
};

/// Every row of a plot's data names its case, as `case`. Points, bars and cells show it with the exact values
/// in a tooltip (SVG has none). `variants` decides on marks (marks.h); legends have the order of the rows,
/// whose callers put the fastest variant first.

/// Time and, if every point has its items, items per second against size. Where their names fit at the ends
/// of the last panel's lines, they replace the legend.
nlohmann::ordered_json curves(const plot_heading&, const series_names& variants,
                              const std::string& size_title, const std::vector<curve_point>&);
/// The name of the layer with these names. For a page or a paper that has no room for them, the legend is in
/// `usermeta.legend`.
inline constexpr const char* line_ends = "line_ends";

/// One dot with its interval.
struct dot {
  std::string workload, variant;
  double value, low, high;
  std::string case_name;
};

/// One row per workload, one dot per variant, on a log scale.
nlohmann::ordered_json dots(const plot_heading&, const series_names& variants,
                            const std::vector<std::string>& workloads, const std::string& value_title,
                            const std::vector<dot>&);

/// One cell of a heat map; `value` is above 0. The tooltip shows the interval, if there is one.
struct cell {
  std::string workload, variant;
  double value;
  std::string text, case_name;
  std::optional<double> low = std::nullopt, high = std::nullopt;
};

/// Colors on a log scale: on both sides of 1 or only above it, up to `widest` doublings.
struct heat_scale {
  double widest;
  bool two_sided;
};

/// One row per workload, one column per variant.
nlohmann::ordered_json heat_map(const plot_heading&, const std::vector<std::string>& workloads,
                                const std::string& value_title, heat_scale, const std::vector<cell>&);

/// One of several panels that share their points: `field` of each row against `size`.
struct panel {
  std::string field, title;
  bool logarithmic = false;
  std::string dashed = "", dashed_title = "";  ///< a field drawn dashed next to it, or empty
};

/// Rows: `case`, `variant`, `size` and the panels' fields, which may be null.
nlohmann::ordered_json small_multiples(const plot_heading&, const series_names& variants,
                                       const std::string& size_title, const std::vector<panel>&,
                                       nlohmann::ordered_json rows);

/// Rows: `case`, `variant`, `size`, `kernel`, `share` (0 to 1, of the case) and any other tooltip fields; one
/// bar per case, its kernels stacked in the order of the rows. Kernels for which there is no color are drawn
/// as `other kernels`, in gray.
nlohmann::ordered_json stacked_shares(const plot_heading&, const std::string& size_title,
                                      const std::string& share_title, nlohmann::ordered_json rows);
inline constexpr const char* other_kernels = "other kernels";

/// A lane of a timeline: a percentage field of the samples.
struct lane {
  std::string field, title;
};

/// Samples: `case`, `time_us` and the lanes' fields, which may be null. Kernels: `case`, `kernel`,
/// `start_us`, `end_us`; their boundaries cross every lane.
nlohmann::ordered_json lanes(const plot_heading&, const std::vector<lane>&, nlohmann::ordered_json samples,
                             nlohmann::ordered_json kernels);

/// Figures against time, one panel each; colors are variants, shapes the words of `shape_title`, or variants
/// too if there is only one word or more variants than colors. Rows: `case`, `variant`, `shape`, `us`,
/// `workload` and the figures' fields, which may be null.
nlohmann::ordered_json figures_against_time(const plot_heading&, const series_names& variants,
                                            const std::string& shape_title,
                                            const std::vector<std::string>& figures,
                                            nlohmann::ordered_json rows);

/// Energy against time on log axes, with intervals. Rows: `case`, `variant`, `us`, `mj`, `_low` and `_high`
/// of both (null where a log scale has no place for it), and `mj_us` and `mean_w` for the tooltip.
nlohmann::ordered_json energy_against_time(const plot_heading&, const series_names& variants,
                                           nlohmann::ordered_json rows);

/// The points of a picture in side-by-side panels on one scale; a single row of data, the case.
nlohmann::ordered_json point_panels(const plot_heading&, const measured_case::output_picture&,
                                    const std::string& case_name);

/// One case's medians by date. Rows: `case`, `date`, `us`, `low`, `high` (of the interval), `segment` and
/// `level` (between two changes), `change` ("+3.1 %" where a new level begins, else null), `commit`, `gpu`,
/// `driver`.
nlohmann::ordered_json median_history(const plot_heading&, nlohmann::ordered_json rows);

/// One bar per row from top to bottom, from `start` to `end` (µs), colored by `verdict` ("median" for a whole
/// time). Rows: `case`, `step`, `start`, `end`, `verdict`, `label` (next to the bar), `ratio` and `moved`
/// (both in the tooltip).
nlohmann::ordered_json falling_bars(const plot_heading&, nlohmann::ordered_json rows);

/// A ceiling of a roofline: FLOP/s, or bytes/s where it slopes.
struct roof {
  std::string title;
  double per_s;
  bool slopes;
};

/// The group of the variants without a color of their own.
constexpr const char* other_variants = "other variants";

/// A level of memory in a roofline: its bandwidth and the rates of FLOPs.
struct roofline_level {
  std::string name;     ///< "DRAM", "L2": the field `level` of its rows
  std::string x_title;  ///< which bytes
  std::vector<roof> roofs;
};

/// FLOP/s against FLOPs per byte under the roofs, a panel a level on the same axes. Rows: `case`, `level`,
/// `variant`, `group` (the variant, or other_variants), `intensity`, `flop_s` and `roof_pct` (of the lower
/// roof there; in the tooltip).
nlohmann::ordered_json roofline(const plot_heading&, const series_names& variants,
                                const std::vector<roofline_level>&, nlohmann::ordered_json rows);

/// One row per variant, one column per size, colors on one side of 1. Rows: `case`, `variant`, `size`,
/// `value` (1 or more), `text`; values of exactly 1 are framed.
nlohmann::ordered_json size_grid(const plot_heading&, const std::string& size_title,
                                 const std::string& value_title, nlohmann::ordered_json rows);

/// Stacked panels: `field` of each case in the order of the record. Rows: `case`, `place` and the panels'
/// fields, which may be null, and `group`, which sets the color.
nlohmann::ordered_json over_places(const plot_heading&, const std::vector<panel>&,
                                   const std::string& group_title, nlohmann::ordered_json rows);

/// A value drawn across a panel, and its label.
struct mark_line {
  double value;
  std::string title;
};

/// Side-by-side panels on one percentage scale from 0: `field` of each case against its time. Rows as above,
/// and `us`.
nlohmann::ordered_json percent_panels(const plot_heading&, const std::vector<panel>&,
                                      const std::vector<mark_line>&, const std::string& group_title,
                                      nlohmann::ordered_json rows);

/// Curves of several records: one panel per variant, one mark per record, the baseline's for the first. Rows:
/// `case`, `variant`, `record`, `size`, `us`, `us_low`, `us_high`.
nlohmann::ordered_json curves_by_record(const plot_heading&, const std::vector<std::string>& variants,
                                        const std::vector<std::string>& records,
                                        const std::string& size_title, nlohmann::ordered_json rows);

/// A panel of a chart of factors: its x axis.
struct factor_panel {
  std::string title;               ///< empty where it is the only one
  std::string along;               ///< title of the axis
  std::vector<std::string> words;  ///< the values in order, where they are no numbers; else empty
};

/// How many times faster, against size or workload, on log axes with a line at 1; a color for each group.
/// Rows: `case`, `panel` (index), `group`, `size` (a number, or one of the panel's words), `factor`, `low`
/// and `high` (null without an interval), `curve` (rows of one line share it; null for a lone point), `cloud`
/// (recorded_scan or generated_cloud), and `workload`, `variant`, `against` and `verdict` for the tooltip.
nlohmann::ordered_json factors(const plot_heading&, const std::vector<factor_panel>&,
                               const std::string& factor_title, const std::vector<std::string>& groups,
                               nlohmann::ordered_json rows);
inline constexpr const char* recorded_scan = "recorded scan";
inline constexpr const char* generated_cloud = "generated";

/// 1, 2, 5, 10 … within the range of positive values: denser in a narrow range, decades only in a wide one.
std::vector<double> log_ticks(double low, double high);

}  // namespace ablate::reports
