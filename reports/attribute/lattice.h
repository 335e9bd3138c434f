#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "reports/ablation/pairs.h"
#include "reports/attribute/allowed_orders.h"
#include "reports/attribute/switch_space.h"

namespace ablate::attribute {

/// A switch that means something in one of two points only, so its change is a part of another's: entries of
/// a table that only one of them has.
struct follower {
  reports::switch_change change;
  /// The switches without which it means nothing; empty where no single one decides.
  std::vector<std::string> of;
};

/// A point between the two: some switches have the second one's value.
struct lattice_point {
  named_words values;  ///< without switches that are off
  const measured_case* measured = nullptr;
  std::string spelling = {};   ///< of one that is measured or can be; empty where nobody knows it
  std::string forbidden = {};  ///< why there is no such point
  std::string missing = {};    ///< what the record says instead of a time
};

/// Two points of an operation on one workload, and the points between them.
struct lattice {
  const reports::comparable_cases* row;
  const measured_case *from, *to;
  named_words from_values, to_values;           ///< as the space has them, or else as the record has
  std::vector<reports::switch_change> players;  ///< the switches in which the two differ
  std::vector<follower> followers;
  std::vector<lattice_point> points;  ///< by the players that have the second one's value

  /// "merge=warp" of a player at the second value, or "merge=off".
  std::string after(std::size_t player) const;
  std::string before(std::size_t player) const;
  /// By the switches alone.
  allowed_orders orders() const;
};

/// A workload where the two cannot be taken apart.
struct no_lattice {
  const reports::comparable_cases* row;
  std::string why;
};

/// `space` may be null: then every point counts as one that can be run. A point that was measured can be run,
/// whatever the space says. Throws bad_input where the two differ in no switch, or in more than most_players.
std::variant<lattice, no_lattice> lattice_of(const record&, const reports::operation_view&,
                                             const reports::comparable_cases&, const std::string& from,
                                             const std::string& to, const switch_space*);

}  // namespace ablate::attribute
