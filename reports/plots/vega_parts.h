#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reports/plots/marks.h"
#include "reports/plots/vega.h"

namespace ablate::reports {

// Building blocks of the specifications in reports/plots/vega.h.

/// Title, configuration and data; the drawing is added by the caller.
nlohmann::ordered_json specification(const plot_heading&, nlohmann::ordered_json values);

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
