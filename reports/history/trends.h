#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/history/change_points.h"
#include "reports/history/database.h"
#include "reports/history/ended.h"
#include "reports/plots/plots.h"

namespace ablate::history {

/// A change of level. No GPU has nights both in the segment before it and in that after it: it may be of the
/// GPUs and not of the commits.
struct level_change : change_point {
  bool is_between_specimens = false;
};

/// A series, where its level changed, and where it stops.
struct trend {
  series of;
  std::vector<level_change> changes;
  /// By how much each specimen is slower than its segments, in percent, which is taken out before changes are
  /// sought; empty unless several have three nights or more each.
  std::map<std::string, double> specimen_pct = {};
  std::vector<series_end> ends = {};
};

/// Equal GPUs differ a little, which hides small changes where they take turns: from each night the median
/// deviation of its specimen from the levels is taken out, and the changes are sought again. A change that
/// comes with another specimen stays, and is marked.
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
