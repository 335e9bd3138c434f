#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reports/search/strategy.h"

namespace ablate::search {

/// A search held against a record that has every point of its space: the record answers for the GPU. A point
/// that is timed again has its recorded time again.
struct replay {
  std::size_t points;    ///< that count in the record, and to which steps in one switch lead
  std::size_t asked;     ///< of these, measured by the search
  std::size_t timings;   ///< of points in further launches
  double regret;         ///< the winner's time over the least, less 1
  double random_regret;  ///< expected of a random search of as many points
  std::optional<std::size_t> asked_until_close;  ///< within close_pct of the least; nothing: never
  double random_until_close;                     ///< expected of a random search
  bool is_proven;
};

/// How near the least time is near enough.
inline constexpr double close_pct = 1;

/// Of a workload that is worth a search.
inline constexpr std::size_t fewest_replayed_points = 8;

/// `recorded`: an answer for each point of the space. Points to which no steps lead from the beginning are
/// left aside, since the record lacks what a search would measure on the way. Nothing where fewer than
/// `least_points` are left that count.
std::optional<replay> replayed(const space&, const beginning&, const std::vector<answer>& recorded,
                               const settings&, std::size_t least_points = fewest_replayed_points);

/// Expected least of `drawn` of these times, drawn without replacement, over the least of all, less 1.
double expected_regret(std::vector<double> times, std::size_t drawn);
/// Expected number of draws until one of `good` among `all` comes.
double expected_draws(std::size_t all, std::size_t good);

/// A workload of a record with its replay.
struct replayed_workload {
  std::string record, operation, workload;
  replay found;
};

/// All replays, with medians and shares by operation and over all.
nlohmann::ordered_json replays_json(const std::vector<replayed_workload>&, std::size_t left_out);
std::string replays_markdown(const std::vector<replayed_workload>&, std::size_t left_out);

}  // namespace ablate::search
