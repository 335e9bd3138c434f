#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reports/operation_view.h"

namespace ablate::reports {

/// What stands above a plot.
struct plot_heading {
  std::string title;
  std::string device, cache_state;
  named_words fixed;  ///< axes that are the same everywhere in the plot
  std::string note;
};

/// One value of a scaling curve.
struct curve_point {
  std::string variant;
  long size;
  double us, us_low, us_high;
  std::optional<double> items;
};

/// Time and, where every point has its items, items per second against size; `variants` gives colors their
/// order.
nlohmann::ordered_json curves(const plot_heading&, const std::vector<std::string>& variants,
                              const std::string& size_title, const std::vector<curve_point>&);

/// One dot with its interval.
struct dot {
  std::string workload, variant;
  double value, low, high;
};

/// A row a workload, a dot a variant, on a log scale.
nlohmann::ordered_json dots(const plot_heading&, const std::vector<std::string>& variants,
                            const std::vector<std::string>& workloads, const std::string& value_title,
                            const std::vector<dot>&);

/// One cell of a heat map; `value` is above 0.
struct cell {
  std::string workload, variant;
  double value;
  std::string text;
};

/// Colors on a log scale: on both sides of 1 or upwards of it, to `widest` doublings.
struct heat_scale {
  double widest;
  bool two_sided;
};

/// A row a workload, a column a variant.
nlohmann::ordered_json heat_map(const plot_heading&, const std::vector<std::string>& workloads,
                                const std::string& value_title, heat_scale, const std::vector<cell>&);

/// 1, 2, 5, 10 … in the range of positive values: more closely in a narrow range, decades only in a wide one.
std::vector<double> log_ticks(double low, double high);

}  // namespace ablate::reports
