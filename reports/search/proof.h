#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/search/observations.h"

namespace ablate::search {

enum class neighbor_state { slower, tied, faster, not_measured };

/// slower, tied, faster, not_measured.
std::string_view name_of(neighbor_state);

/// A point one switch away from the winner.
struct compared_neighbor {
  std::size_t point;
  std::string differs_in;
  neighbor_state state;
  std::optional<reports::judged_ratio> over;  ///< its time over the winner's
  std::string reason;                         ///< of a tie or of what was not measured
  bool is_open;  ///< a budget would change that: it can be measured, or more launches may decide
};

/// Whether a step in one switch leads on from a point.
struct proof {
  std::size_t winner;
  std::vector<compared_neighbor> neighbors;  ///< ties first, then by ratio, then what was not measured

  std::size_t count(neighbor_state) const;
  std::size_t open() const;
  /// No neighbor is better by more than noise, and none is left open.
  bool holds() const;
};

/// Verdicts of all neighbors are read together, so false ones are controlled for as in every table
/// (control_false_discoveries). A neighbor that is neither slower nor the same is open until so many launches
/// measured both. `winner` counts.
proof proof_of(const space&, const observations&, std::size_t winner, std::size_t most_launches);

}  // namespace ablate::search
