#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ablate::attribute {

/// A set of players, a bit each.
using coalition = std::uint32_t;
/// Of a game: with more, the coalitions are too many to go through.
inline constexpr std::size_t most_players = 16;

/// A quantity that is linear in the values of coalitions: the factor of each, none of them zero, smallest
/// coalition first. Each coalition occurs once, so errors of its value are carried over exactly.
using linear_form = std::vector<std::pair<coalition, double>>;

/// A step from a coalition to the same with one block more, and the share of the orders that take it.
struct order_step {
  coalition from, to;
  double weight;
};

/// What one block adds without another, and with it: means over the same coalitions of others.
struct pair_forms {
  linear_form first_without_second, first_with_second, second_without_first, second_with_first;
  linear_form interaction;  ///< with less without, the same from both sides
  std::size_t contexts;     ///< coalitions of others to which both can be added in either order
};

/// In an order, every block once.
using block_order = std::vector<std::size_t>;

/// The orders in which players can join one after another, where some coalitions cannot be formed.
///
/// The axiom: an order counts if every coalition on the way can be formed, and all that count weigh the same.
/// A player's share is its mean step over these orders (Faigle and Kern 1992, The Shapley Value for
/// Cooperative Games under Precedence Constraints). Nothing is said of a coalition that cannot be formed.
/// With all coalitions it is the Shapley value.
///
/// Where no order takes one player at a time, some of them join together: those of a step of the orders with
/// the most steps. They are one block, which has one share.
class allowed_orders {
 public:
  /// `allowed` says of each coalition whether it can be formed. Throws std::invalid_argument unless there are
  /// 1 to most_players players and those of none and of all can be formed.
  allowed_orders(std::size_t players, const std::vector<bool>& allowed);

  /// By their first player; most have no other.
  const std::vector<coalition>& blocks() const { return blocks_; }
  double count() const { return up_.back(); }
  /// Those on some order, those of the fewest players first.
  std::vector<coalition> coalitions() const;

  /// Of a block, as the methods below: its steps in all orders. The weights sum to 1.
  std::vector<order_step> steps(std::size_t block) const;
  linear_form share(std::size_t block) const;
  /// What it adds to none; nothing if it cannot be the first.
  std::optional<linear_form> first_in(std::size_t block) const;
  /// What it adds to all others; nothing if it cannot be the last.
  std::optional<linear_form> leave_one_out(std::size_t block) const;
  /// Over the orders in which the two follow each other and may be exchanged; with all coalitions the
  /// interaction is the Shapley interaction index. Nothing if there is no such order.
  std::optional<pair_forms> together(std::size_t first, std::size_t second) const;

  /// `pairs` pairs of orders, each drawn with equal chance among all; the second of a pair is the first
  /// reversed where that is an order, else drawn as well. The same for the same seed.
  std::vector<block_order> drawn(std::uint64_t seed, std::size_t pairs) const;
  /// The coalitions on an order, from none to all.
  std::vector<coalition> coalitions_on(const block_order&) const;
  /// The mean step of a block over some orders.
  linear_form share_over(const std::vector<block_order>&, std::size_t block) const;

 private:
  using state = std::size_t;  ///< a set of blocks

  coalition players_of(state) const;
  bool is_allowed(state s) const { return allowed_[players_of(s)]; }
  state all() const { return (state{1} << blocks_.size()) - 1; }
  bool is_on_an_order(state s) const { return up_[s] > 0 && down_[s] > 0; }
  void count_orders();
  void join_blocks();
  bool is_order(const block_order&) const;

  std::vector<bool> allowed_;
  std::vector<coalition> blocks_;
  std::vector<double> up_, down_;  ///< orders from none to a state, and from there to all
};

}  // namespace ablate::attribute
