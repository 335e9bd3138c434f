#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reports/plots/vega.h"

namespace ablate::reports {

// Of what the specifications of reports/plots/vega.h are put together.

/// Okabe and Ito's palette for color-blind readers without its yellow, which white paper swallows, and four
/// more of Paul Tol's. The baseline comes first and is black. Shapes repeat what the color says.
inline constexpr std::array colors = {"#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
                                      "#56B4E9", "#882255", "#999933", "#332288", "#777777"};
inline constexpr std::array shapes = {"circle", "square", "triangle-up", "diamond", "cross", "triangle-down"};

/// Title, configuration and data; the drawing is to be added.
nlohmann::ordered_json specification(const plot_heading&, nlohmann::ordered_json values);

/// The same color, or the same shape, for a variant in every plot of its operation; the legend shows the
/// drawn ones.
nlohmann::ordered_json variant_channel(const std::vector<std::string>& variants,
                                       const std::set<std::string>& drawn, bool is_shape);

/// The workloads from top to bottom, in the order given.
nlohmann::ordered_json workload_axis(const std::vector<std::string>& workloads, bool grid);

/// Ticks where readers look for them between two positive values.
nlohmann::ordered_json log_channel(const std::string& field, const std::string& title,
                                   const std::string& format, double low, double high);

/// An x axis of sizes, with a tick at each; logarithmic, but for sizes from 0 linear, at least near 0.
nlohmann::ordered_json size_channel(const std::string& title, const std::set<long>& sizes);

/// A tooltip of exact values: a nominal field is told as it stands in the data.
nlohmann::ordered_json told(const std::vector<std::pair<std::string, std::string>>& fields);

}  // namespace ablate::reports
