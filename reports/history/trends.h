#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/history/change_points.h"
#include "reports/history/database.h"
#include "reports/history/ended.h"
#include "reports/plots/plots.h"

namespace ablate::history {

/// A series, where its level changed, and where it stops.
struct trend {
  series of;
  std::vector<change_point> changes;
  std::vector<series_end> ends = {};
};

trend trend_of(series, const change_options& = {});

/// One line per night, with the changes where they begin; at the end, what stops the series.
std::string trend_text(const trend&);

/// All changes, the largest slow-down first; says so if there are none. Then the series that stop.
std::string changes_text(const std::vector<trend>&);
/// The same as lists: case, device, date, commits around it, and ratio and p, or verdict and reason.
nlohmann::ordered_json changes_json(const std::vector<trend>&);

/// Medians with their intervals by date, the level of each segment, and a rule at each change.
reports::plot trend_plot(const trend&);

/// The plots of one operation's series of at least three nights: those with the largest changes first, then
/// the longest; at most `limit`.
std::vector<reports::plot> trend_plots(const std::vector<trend>&, const std::string& operation,
                                       std::size_t limit);

}  // namespace ablate::history
