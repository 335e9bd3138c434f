#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reports/ablation/waterfall.h"
#include "reports/attribute/lattice_times.h"

namespace ablate::attribute {

/// Of orders that are drawn where too many points are missing, whatever the times are: a record that has all
/// their points gives an estimate without bias.
inline constexpr std::uint64_t seed_of_orders = 63;

/// How the shares of a workload are known.
enum class evidence {
  exact,    ///< every point on an order has a time
  sampled,  ///< every point on the drawn orders has
  missing
};

/// What a switch is worth between the two points, whatever the order. Of several switches where no order
/// takes one without the others.
struct switch_share {
  std::vector<std::size_t> players;
  std::optional<worth> share;                ///< nothing where a point that it rests on has no time
  std::optional<worth> first_in;             ///< from the first point alone
  std::optional<worth> leave_one_out;        ///< what it adds to all others, at the second point
  std::size_t steps, measured_steps;         ///< between points on an order
  double least_step, greatest_step;          ///< as factors, of those that were measured
  std::vector<reports::moved_metric> moved;  ///< means over the same orders, the greatest ratio first
};

/// What two shares have to do with each other.
struct share_pair {
  std::size_t first, second;  ///< of the shares
  worth interaction;          ///< above 1: together they gain more than each by itself
  worth first_without_second, first_with_second, second_without_first, second_with_first;
};

struct workload_shares {
  lattice between;
  allowed_orders orders;
  evidence rests_on;
  std::optional<worth> whole;
  std::vector<switch_share> shares;
  std::vector<share_pair> pairs;   ///< those whose points have times
  std::vector<coalition> missing;  ///< on an order, without a time
  std::vector<block_order> drawn;  ///< where the shares are or could be sampled

  /// "merge=warp", or "search=scan with entries=1024" of several.
  std::string name_of(const switch_share&) const;
  /// Of the switch. Throws bad_input, with the reason by name, for one that changes only together with
  /// others, follows from another, or does not change.
  const switch_share& share_of(const std::string& name, const std::string& place) const;
};

struct attribution {
  const record* of;
  const reports::operation_view* view;
  std::string from, to;
  std::vector<workload_shares> workloads;
  std::vector<no_lattice> without;
  named_words should_move;  ///< what declarations say should move, by switch
};

/// How many points a record may lack for shares to be exact; with more, orders are drawn, and as many points.
std::size_t most_points(std::size_t players);

/// On these workloads of the view. Throws bad_input as lattice_of does. Refers to the record, the view, the
/// launches and the space.
attribution attribution_of(const record&, const reports::operation_view&,
                           const std::vector<const reports::comparable_cases*>& rows, const std::string& from,
                           const std::string& to, const switch_space*, const reports::case_launches&,
                           const reports::effect_limits&);

}  // namespace ablate::attribute
