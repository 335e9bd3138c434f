#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reports/plots/vega.h"

namespace ablate::reports {

// Building blocks of the specifications in reports/plots/vega.h.

/// Okabe and Ito's palette for color-blind readers, without its yellow, which is invisible on white paper,
/// plus four of Paul Tol's colors and a brown. The baseline comes first and is black. Shapes repeat what the
/// color says; as many as share no divisor with the colors, so that no pair repeats before 84.
inline constexpr std::array colors = {"#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
                                      "#56B4E9", "#882255", "#999933", "#332288", "#777777", "#8C510A"};
inline constexpr std::array shapes = {"circle", "square",        "triangle-up",  "diamond",
                                      "cross",  "triangle-down", "triangle-left"};

/// Title, configuration and data; the drawing is added by the caller.
nlohmann::ordered_json specification(const plot_heading&, nlohmann::ordered_json values);

/// Gives a variant its color, or shape, the same in every plot of its operation unless another drawn one has
/// it: as many variants as there are colors have one each. The legend lists only the drawn ones.
nlohmann::ordered_json variant_channel(const std::vector<std::string>& variants,
                                       const std::set<std::string>& drawn, bool is_shape);

/// The workloads from top to bottom, in the given order.
nlohmann::ordered_json workload_axis(const std::vector<std::string>& workloads, bool grid);

/// Log scale with ticks where readers expect them between two positive values.
nlohmann::ordered_json log_channel(const std::string& field, const std::string& title,
                                   const std::string& format, double low, double high);

/// An x axis of sizes, with a tick at each; logarithmic, but linear, at least near 0, if sizes start at 0.
nlohmann::ordered_json size_channel(const std::string& title, const std::set<long>& sizes);

/// A tooltip of exact values: a nominal field is shown as it is in the data.
nlohmann::ordered_json tooltip_fields(const std::vector<std::pair<std::string, std::string>>& fields);

}  // namespace ablate::reports
