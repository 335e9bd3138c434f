#include <algorithm>
#include <cmath>

#include "reports/plots/vega.h"
#include "reports/plots/vega_parts.h"

// Joules of a launch.

namespace ablate::reports {

nlohmann::ordered_json energy_against_time(const plot_heading& heading, const series_names& variants,
                                           nlohmann::ordered_json rows) {
  using nlohmann::ordered_json;
  const series_marks marks(variants, values_of(rows, "variant"));
  const auto channel = [&](const std::string& field, const std::string& title) {
    double low = INFINITY, high = 0;
    for (const ordered_json& row : rows)
      for (const char* end : {"", "_low", "_high"})
        if (const ordered_json& value = row[field + end]; value.is_number()) {
          low = std::min(low, value.get<double>());
          high = std::max(high, value.get<double>());
        }
    return log_channel(field, title, ",~r", low, high);
  };
  const ordered_json x = channel("us", "median time (µs)"), y = channel("mj", "energy of a launch (mJ)"),
                     color = marks.variant_colors();
  const auto interval = [&](const char* low, const char* high, bool along_x) -> ordered_json {
    ordered_json encoding = {{"x", x}, {"y", y}, {"color", color}};
    encoding[along_x ? "x" : "y"]["field"] = low;
    encoding[along_x ? "x2" : "y2"] = {{"field", high}};
    return {{"transform", {{{"filter", std::string("isValid(datum['") + low + "'])"}}}},
            {"mark", {{"type", "rule"}, {"strokeWidth", 1.2}}},
            {"encoding", std::move(encoding)}};
  };
  const ordered_json mark = {{"mark", {{"type", "point"}, {"filled", true}, {"size", 60}, {"opacity", 1}}},
                             {"encoding",
                              {{"x", x},
                               {"y", y},
                               {"color", color},
                               {"shape", marks.variant_shapes()},
                               {"tooltip", tooltip_fields({{"case", "case"},
                                                           {"us", "median µs"},
                                                           {"mj", "energy mJ"},
                                                           {"mj_low", "95 % from mJ"},
                                                           {"mj_high", "to mJ"},
                                                           {"mj_us", "energy × time mJ·µs"},
                                                           {"mean_w", "mean power W"}})}}}};
  const ordered_json layers = {interval("us_low", "us_high", true), interval("mj_low", "mj_high", false),
                               mark};
  ordered_json out = specification(heading, std::move(rows));
  out["width"] = 480;
  out["height"] = 320;
  out["layer"] = layers;
  return out;
}

}  // namespace ablate::reports
