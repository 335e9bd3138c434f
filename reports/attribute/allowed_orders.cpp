#include "reports/attribute/allowed_orders.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <random>
#include <stdexcept>

namespace ablate::attribute {
namespace {

linear_form without_zeros(const std::map<coalition, double>& from) {
  linear_form out;
  for (const auto& entry : from)
    if (entry.second != 0) out.push_back(entry);
  return out;
}

linear_form form_of(const std::vector<order_step>& steps) {
  std::map<coalition, double> out;
  for (const order_step& step : steps) {
    out[step.to] += step.weight;
    out[step.from] -= step.weight;
  }
  return without_zeros(out);
}

linear_form difference(const linear_form& above, const linear_form& below) {
  std::map<coalition, double> out(above.begin(), above.end());
  for (const auto& [of, factor] : below) out[of] -= factor;
  return without_zeros(out);
}

/// From 0 to below 1, the same on every platform.
double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

/// Which of n things belong together.
class joined_sets {
 public:
  explicit joined_sets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }
  std::size_t first_of(std::size_t i) const { return parent_[i] == i ? i : first_of(parent_[i]); }
  void join(std::size_t a, std::size_t b) {
    const std::size_t first = first_of(a), second = first_of(b);
    parent_[std::max(first, second)] = std::min(first, second);
  }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace

allowed_orders::allowed_orders(std::size_t players, const std::vector<bool>& allowed) : allowed_(allowed) {
  if (players == 0 || players > most_players) throw std::invalid_argument("a game has 1 to 16 players");
  if (allowed.size() != std::size_t{1} << players || !allowed.front() || !allowed.back())
    throw std::invalid_argument(
        "a game says of each coalition whether it is allowed, and allows none and all");
  for (std::size_t i = 0; i < players; ++i) blocks_.push_back(coalition{1} << i);
  for (count_orders(); !(count() > 0); count_orders()) join_blocks();
}

coalition allowed_orders::players_of(state s) const {
  coalition out = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    if (s >> b & 1) out |= blocks_[b];
  return out;
}

void allowed_orders::count_orders() {
  up_.assign(all() + 1, 0);
  down_.assign(all() + 1, 0);
  up_.front() = down_.back() = 1;
  for (state s = 1; s <= all(); ++s)
    if (is_allowed(s))
      for (std::size_t b = 0; b < blocks_.size(); ++b)
        if (s >> b & 1) up_[s] += up_[s ^ state{1} << b];
  for (state s = all(); s-- > 0;)
    if (is_allowed(s))
      for (std::size_t b = 0; b < blocks_.size(); ++b)
        if (!(s >> b & 1)) down_[s] += down_[s | state{1} << b];
}

void allowed_orders::join_blocks() {
  // The most steps from none to each state, and from there to all; below zero: there is no way.
  constexpr int no_way = -1000;
  std::vector<int> steps_up(all() + 1, no_way), steps_down(all() + 1, no_way);
  steps_up.front() = steps_down.back() = 0;
  for (state to = 1; to <= all(); ++to)
    if (is_allowed(to))
      for (state from = (to - 1) & to;; from = (from - 1) & to) {
        steps_up[to] = std::max(steps_up[to], steps_up[from] + 1);
        if (from == 0) break;
      }
  for (state from = all(); from-- > 0;)
    if (is_allowed(from))
      for (state more = all() ^ from; more != 0; more = (more - 1) & (all() ^ from))
        steps_down[from] = std::max(steps_down[from], steps_down[from | more] + 1);
  joined_sets joined(blocks_.size());
  for (state to = 1; to <= all(); ++to)
    for (state from = (to - 1) & to;; from = (from - 1) & to) {
      const state added = to ^ from;
      if (std::popcount(added) > 1 && steps_up[from] + 1 + steps_down[to] == steps_up.back())
        for (std::size_t b = 0; b < blocks_.size(); ++b)
          if (added >> b & 1) joined.join(static_cast<std::size_t>(std::countr_zero(added)), b);
      if (from == 0) break;
    }
  std::map<std::size_t, coalition> longer;
  for (std::size_t b = 0; b < blocks_.size(); ++b) longer[joined.first_of(b)] |= blocks_[b];
  blocks_.clear();
  for (const auto& entry : longer) blocks_.push_back(entry.second);
}

std::vector<coalition> allowed_orders::coalitions() const {
  std::vector<coalition> out;
  for (state s = 0; s <= all(); ++s)
    if (is_on_an_order(s)) out.push_back(players_of(s));
  std::sort(out.begin(), out.end(), [](coalition a, coalition b) {
    return std::pair(std::popcount(a), a) < std::pair(std::popcount(b), b);
  });
  return out;
}

std::vector<order_step> allowed_orders::steps(std::size_t block) const {
  std::vector<order_step> out;
  const state bit = state{1} << block;
  for (state s = 0; s <= all(); ++s)
    if (!(s & bit) && up_[s] > 0 && down_[s | bit] > 0)
      out.push_back({players_of(s), players_of(s | bit), up_[s] * down_[s | bit] / count()});
  return out;
}

linear_form allowed_orders::share(std::size_t block) const { return form_of(steps(block)); }

std::optional<linear_form> allowed_orders::first_in(std::size_t block) const {
  const state bit = state{1} << block;
  if (!is_on_an_order(bit)) return std::nullopt;
  return form_of({{0, players_of(bit), 1}});
}

std::optional<linear_form> allowed_orders::leave_one_out(std::size_t block) const {
  const state others = all() ^ state { 1 } << block;
  if (!is_on_an_order(others)) return std::nullopt;
  return form_of({{players_of(others), players_of(all()), 1}});
}

std::optional<pair_forms> allowed_orders::together(std::size_t first, std::size_t second) const {
  const state a = state{1} << first, b = state{1} << second;
  std::vector<state> contexts;
  double sum = 0;
  const auto weight = [&](state s) { return up_[s] * down_[s | a | b]; };
  for (state s = 0; s <= all(); ++s)
    if (!(s & (a | b)) && is_allowed(s | a) && is_allowed(s | b) && weight(s) > 0) {
      contexts.push_back(s);
      sum += weight(s);
    }
  if (contexts.empty()) return std::nullopt;
  const auto mean_step = [&](state added, state with) {
    std::vector<order_step> out;
    for (const state s : contexts)
      out.push_back({players_of(s | with), players_of(s | with | added), weight(s) / sum});
    return form_of(out);
  };
  pair_forms out{mean_step(a, 0), mean_step(a, b), mean_step(b, 0), mean_step(b, a), {}, contexts.size()};
  out.interaction = difference(out.first_with_second, out.first_without_second);
  return out;
}

bool allowed_orders::is_order(const block_order& of) const {
  state s = 0;
  for (const std::size_t b : of) {
    s |= state{1} << b;
    if (!is_allowed(s)) return false;
  }
  return true;
}

std::vector<block_order> allowed_orders::drawn(std::uint64_t seed, std::size_t pairs) const {
  std::mt19937_64 random(seed);
  // A step is taken as often as orders go on from it, so each order has the same chance.
  const auto draw = [&] {
    block_order out;
    for (state s = 0; s != all();) {
      double left = uniform(random) * down_[s];
      std::size_t chosen = 0;
      for (std::size_t b = 0; b < blocks_.size(); ++b) {
        if (s >> b & 1 || !(down_[s | state{1} << b] > 0)) continue;
        chosen = b;
        left -= down_[s | state{1} << b];
        if (left < 0) break;
      }
      out.push_back(chosen);
      s |= state{1} << chosen;
    }
    return out;
  };
  std::vector<block_order> out;
  for (std::size_t i = 0; i < pairs; ++i) {
    out.push_back(draw());
    block_order reversed(out.back().rbegin(), out.back().rend());
    out.push_back(is_order(reversed) ? std::move(reversed) : draw());
  }
  return out;
}

std::vector<coalition> allowed_orders::coalitions_on(const block_order& of) const {
  std::vector<coalition> out = {0};
  for (const std::size_t b : of) out.push_back(out.back() | blocks_[b]);
  return out;
}

linear_form allowed_orders::share_over(const std::vector<block_order>& orders, std::size_t block) const {
  std::vector<order_step> out;
  for (const block_order& of : orders) {
    const auto place = static_cast<std::size_t>(std::find(of.begin(), of.end(), block) - of.begin());
    const std::vector<coalition> on = coalitions_on(of);
    out.push_back({on[place], on[place + 1], 1.0 / static_cast<double>(orders.size())});
  }
  return form_of(out);
}

}  // namespace ablate::attribute
