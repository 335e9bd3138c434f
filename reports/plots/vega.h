#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reports/views/operation_view.h"

namespace ablate::reports {

/// What stands above a plot.
struct plot_heading {
  std::string title;
  std::string device, cache_state;  ///< no cache state where the cases have several
  named_words fixed;                ///< axes that are the same everywhere in the plot
  std::string note;
  named_words usual = {};  ///< values of axes where a label does not name them
};

/// One value of a scaling curve.
struct curve_point {
  std::string variant;
  long size;
  double us, us_low, us_high;
  std::optional<double> items;
  std::string case_name;
};

/// Every row of a plot's data names its case, as `case`. Points, bars and cells tell it with the exact values
/// where a reader points at them (SVG shows no such thing).

/// Time and, where every point has its items, items per second against size; `variants` gives colors their
/// order.
nlohmann::ordered_json curves(const plot_heading&, const std::vector<std::string>& variants,
                              const std::string& size_title, const std::vector<curve_point>&);

/// One dot with its interval.
struct dot {
  std::string workload, variant;
  double value, low, high;
  std::string case_name;
};

/// A row a workload, a dot a variant, on a log scale.
nlohmann::ordered_json dots(const plot_heading&, const std::vector<std::string>& variants,
                            const std::vector<std::string>& workloads, const std::string& value_title,
                            const std::vector<dot>&);

/// One cell of a heat map; `value` is above 0. An interval, where there is one, is told with the value.
struct cell {
  std::string workload, variant;
  double value;
  std::string text, case_name;
  std::optional<double> low = std::nullopt, high = std::nullopt;
};

/// Colors on a log scale: on both sides of 1 or upwards of it, to `widest` doublings.
struct heat_scale {
  double widest;
  bool two_sided;
};

/// A row a workload, a column a variant.
nlohmann::ordered_json heat_map(const plot_heading&, const std::vector<std::string>& workloads,
                                const std::string& value_title, heat_scale, const std::vector<cell>&);

/// One of several panels that share their points: `field` of each row against `size`.
struct panel {
  std::string field, title;
  bool logarithmic = false;
  std::string beside = "", beside_title = "";  ///< a field that is drawn dashed beside it, or empty
};

/// Rows: `case`, `variant`, `size` and the panels' fields, which may be null.
nlohmann::ordered_json small_multiples(const plot_heading&, const std::vector<std::string>& variants,
                                       const std::string& size_title, const std::vector<panel>&,
                                       nlohmann::ordered_json rows);

/// Rows: `case`, `variant`, `size`, `kernel`, `share` (0 to 1, of the case) and whatever else is to be told;
/// a bar a case, its kernels stacked in the order of the rows.
nlohmann::ordered_json stacked_shares(const plot_heading&, const std::vector<std::string>& variants,
                                      const std::string& size_title, const std::string& share_title,
                                      nlohmann::ordered_json rows);

/// A lane of a timeline: a field of the samples in percent.
struct lane {
  std::string field, title;
};

/// Samples: `case`, `time_us` and the lanes' fields, which may be null. Kernels: `case`, `kernel`,
/// `start_us`, `end_us`; their boundaries cross every lane.
nlohmann::ordered_json lanes(const plot_heading&, const std::vector<lane>&, nlohmann::ordered_json samples,
                             nlohmann::ordered_json kernels);

/// Figures against time, a panel each; colors are variants, shapes the words of `shape_title`, or variants
/// too where there is only one word. Rows: `case`, `variant`, `shape`, `us`, `workload` and the figures'
/// fields, which may be null.
nlohmann::ordered_json figures_against_time(const plot_heading&, const std::vector<std::string>& variants,
                                            const std::string& shape_title,
                                            const std::vector<std::string>& figures,
                                            nlohmann::ordered_json rows);

/// The points of a picture in panels side by side, all on one scale; one row of data, the case.
nlohmann::ordered_json point_panels(const plot_heading&, const measured_case::output_picture&,
                                    const std::string& case_name);

/// One case's medians by date. Rows: `case`, `date`, `us`, `low`, `high` (of the interval), `segment` and
/// `level` (between two changes), `change` ("+3.1 %" where a new level begins, else null), `commit`, `gpu`,
/// `driver`.
nlohmann::ordered_json median_history(const plot_heading&, nlohmann::ordered_json rows);

/// A bar a row from top to bottom, from `start` to `end` (µs), colored by `verdict` ("median" for a whole
/// time). Rows: `case`, `step`, `start`, `end`, `verdict`, `label` (beside the bar), `ratio` and `moved`
/// (told).
nlohmann::ordered_json falling_bars(const plot_heading&, nlohmann::ordered_json rows);

/// A ceiling of a roofline: FLOP/s, or bytes/s where it slopes.
struct roof {
  std::string title;
  double per_s;
  bool slopes;
};

/// The group of the variants that have no color of their own.
constexpr const char* other_variants = "other variants";

/// FLOP/s against FLOPs a byte under the roofs. Rows: `case`, `variant`, `group` (the variant, or
/// other_variants), `intensity`, `flop_s` and `roof_pct` (of the lower roof there; told). `x_title` says
/// which bytes.
nlohmann::ordered_json roofline(const plot_heading&, const std::vector<std::string>& variants,
                                const std::vector<roof>&, const std::string& x_title,
                                nlohmann::ordered_json rows);

/// A row a variant, a column a size, on one side of 1. Rows: `case`, `variant`, `size`, `value` (1 or more),
/// `text`; those of exactly 1 are framed.
nlohmann::ordered_json size_grid(const plot_heading&, const std::vector<std::string>& variants,
                                 const std::string& size_title, const std::string& value_title,
                                 nlohmann::ordered_json rows);

/// Panels one below the other: `field` of each case in the order of the record. Rows: `case`, `place` and the
/// panels' fields, which may be null, and `group`, which gives the color.
nlohmann::ordered_json over_places(const plot_heading&, const std::vector<panel>&,
                                   const std::string& group_title, nlohmann::ordered_json rows);

/// A value across a panel, and its words.
struct mark_line {
  double value;
  std::string title;
};

/// Panels side by side on one scale of percentages that begins at 0: `field` of each case against its time.
/// Rows as above, and `us`.
nlohmann::ordered_json percent_panels(const plot_heading&, const std::vector<panel>&,
                                      const std::vector<mark_line>&, const std::string& group_title,
                                      nlohmann::ordered_json rows);

/// Curves of several records: a panel a variant, a color a record. Rows: `case`, `variant`, `record`, `size`,
/// `us`, `us_low`, `us_high`.
nlohmann::ordered_json curves_by_record(const plot_heading&, const std::vector<std::string>& variants,
                                        const std::vector<std::string>& records,
                                        const std::string& size_title, nlohmann::ordered_json rows);

/// 1, 2, 5, 10 … in the range of positive values: more closely in a narrow range, decades only in a wide one.
std::vector<double> log_ticks(double low, double high);

}  // namespace ablate::reports
