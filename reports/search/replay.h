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
  std::size_t points;                            ///< that count in the record
  std::size_t asked;                             ///< measured by the search
  std::size_t timings;                           ///< of points in further launches
  double regret;                                 ///< the winner's time over the least, less 1
  double random_regret;                          ///< expected of a random search of as many points
  std::optional<std::size_t> asked_until_close;  ///< within close_pct of the least; nothing: never
  double random_until_close;                     ///< expected of a random search
  bool is_proven;
};

/// How near the least time is near enough.
inline constexpr double close_pct = 1;

/// `recorded`: an answer for each point of the space. Nothing where no point counts, or where steps in one
/// switch do not lead from the beginning to all points: there the record lacks what a search would measure.
std::optional<replay> replayed(const space&, const beginning&, const std::vector<answer>& recorded,
                               const settings&);

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
