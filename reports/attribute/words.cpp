#include "reports/attribute/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "reports/views/workloads.h"

namespace ablate::attribute {
namespace {

using namespace reports;

enum class effect_word { pays, costs, neither };

effect_word word_of(const worth& of) {
  if (of.verdict.word == gate::verdict::faster) return effect_word::pays;
  return of.verdict.word == gate::verdict::slower ? effect_word::costs : effect_word::neither;
}

/// What one switch does without and with the other; the lower the rank, the more it says.
struct said_of_one {
  std::size_t rank;
  std::string what;
};

said_of_one said_of(const std::string& one, const std::string& other, const worth& without,
                    const worth& with) {
  const effect_word before = word_of(without), after = word_of(with);
  using enum effect_word;
  if (after == pays && before != pays)
    return {0, fmt::format("{} pays only with {}{}", one, other,
                           before == costs ? ", and costs without it" : "")};
  if (before == pays && after != pays)
    return {
        1, fmt::format("{} pays only without {}{}", one, other, after == costs ? ", and costs with it" : "")};
  if (before != after)
    return {2, fmt::format("{} costs only {} {}", one, after == costs ? "with" : "without", other)};
  const bool gains_more = with.gain.estimate > without.gain.estimate;
  if (after == pays) return {3, fmt::format("{} pays {} with {}", one, gains_more ? "more" : "less", other)};
  if (after == costs)
    return {3, fmt::format("{} costs {} with {}", one, gains_more ? "less" : "more", other)};
  return {4, fmt::format("{} and {} together {} what neither does alone", one, other,
                         gains_more ? "gain" : "lose")};
}

std::string backticked(const std::string& name) { return "`" + name + "`"; }

std::string figures_of(const worth& without, const worth& with) {
  return fmt::format("{:.2f}× with it, {:.2f}× without", with.factor(), without.factor());
}

/// A thing that is said of several workloads, once.
struct said_often {
  std::string what;
  std::vector<std::string> where;
  double most;  ///< of the logarithms, for the order
};

void add(std::vector<said_often>& to, const std::string& what, const std::string& where, double size) {
  auto found = std::find_if(to.begin(), to.end(), [&](const said_often& s) { return s.what == what; });
  if (found == to.end()) found = to.insert(to.end(), {what, {}, 0});
  found->where.push_back(where);
  found->most = std::max(found->most, size);
}

std::vector<std::string> said_of_pairs(const attribution& of) {
  std::vector<said_often> all;
  for (const workload_shares& w : of.workloads)
    for (const share_pair& pair : w.pairs) {
      if (!pair.interaction.is_sure()) continue;
      const said_pair here = said(w, pair);
      add(all, here.what, fmt::format("{} ({})", workload_text(*of.view, *w.between.row), here.figures),
          std::fabs(pair.interaction.gain.estimate));
    }
  std::stable_sort(all.begin(), all.end(), [](const said_often& a, const said_often& b) {
    return std::pair(a.where.size(), a.most) > std::pair(b.where.size(), b.most);
  });
  std::vector<std::string> out;
  for (const said_often& s : all)
    out.push_back(of.workloads.size() == 1 ? fmt::format("{}: {}.", s.what, s.where.front())
                                           : fmt::format("{}, on {} of {} workloads: {}{}.", s.what,
                                                         s.where.size(), of.workloads.size(), s.where.front(),
                                                         s.where.size() > 1 ? " and others" : ""));
  return out;
}

std::string names_of(const workload_shares& w, const switch_share& share) {
  std::vector<std::string> names;
  for (const std::size_t player : share.players) names.push_back(backticked(w.between.players[player].name));
  return fmt::format("{}", fmt::join(names, " and "));
}

std::vector<std::string> said_of_blocks(const attribution& of) {
  std::vector<said_often> all;
  for (const workload_shares& w : of.workloads)
    for (const switch_share& share : w.shares)
      if (share.players.size() > 1)
        add(all,
            fmt::format("{} have one share together: no order of points that can run changes them one by one",
                        names_of(w, share)),
            workload_text(*of.view, *w.between.row), 0);
  std::vector<std::string> out;
  for (const said_often& s : all)
    out.push_back(s.where.size() == of.workloads.size()
                      ? s.what + "."
                      : fmt::format("{} ({}).", s.what, fmt::join(s.where, "; ")));
  return out;
}

std::vector<std::string> said_of_followers(const attribution& of) {
  std::vector<said_often> all;
  for (const workload_shares& w : of.workloads)
    for (const follower& f : w.between.followers)
      add(all,
          fmt::format("`{}` {} → {} is part of {}: it has a meaning in only one of the two points",
                      f.change.name, f.change.from, f.change.to,
                      f.of.empty() ? "the others' shares"
                                   : fmt::format("the share of `{}`", fmt::join(f.of, "` and `"))),
          "", 0);
  std::vector<std::string> out;
  for (const said_often& s : all) out.push_back(s.what + ".");
  return out;
}

/// Why there are fewer orders than the switches have.
std::vector<std::string> said_of_orders(const attribution& of) {
  std::vector<said_often> all;
  for (const workload_shares& w : of.workloads) {
    const std::size_t blocks = w.shares.size();
    const double whole = std::tgamma(static_cast<double>(blocks) + 1);
    if (w.orders.count() >= whole) continue;
    std::vector<std::string> reasons;
    for (const lattice_point& p : w.between.points)
      if (!p.forbidden.empty() && std::find(reasons.begin(), reasons.end(), p.forbidden) == reasons.end())
        reasons.push_back(p.forbidden);
    constexpr std::size_t shown = 2;
    const std::size_t more = reasons.size() > shown ? reasons.size() - shown : 0;
    reasons.resize(reasons.size() - more);
    add(all,
        fmt::format("{:.0f} of {:.0f} orders can run: {}{}", w.orders.count(), whole,
                    fmt::join(reasons, "; "), more > 0 ? fmt::format("; and {} further reasons", more) : ""),
        workload_text(*of.view, *w.between.row), 0);
  }
  std::vector<std::string> out;
  for (const said_often& s : all)
    out.push_back(s.where.size() == of.workloads.size() ? s.what + "."
                                                        : fmt::format("{}: {}.", s.where.front(), s.what));
  return out;
}

std::vector<std::string> said_of_missing(const attribution& of) {
  std::vector<said_often> sampled, unknown;
  for (const workload_shares& w : of.workloads) {
    const std::string where = workload_text(*of.view, *w.between.row);
    if (w.rests_on == evidence::sampled)
      add(sampled,
          fmt::format(
              "The shares are estimates from {} of {:.0f} orders, drawn in pairs; their intervals cover the others",
              w.drawn.size(), w.orders.count()),
          where, 0);
    if (w.rests_on == evidence::missing)
      add(unknown,
          fmt::format("{} of {} points have no time, so the shares that rest on them are unknown",
                      w.missing.size(), w.orders.coalitions().size()),
          where, 0);
  }
  std::vector<std::string> out;
  for (const auto* all : {&sampled, &unknown})
    for (const said_often& s : *all)
      out.push_back(of.workloads.size() == 1 ? s.what + "."
                                             : fmt::format("{}, on {} of {} workloads.", s.what,
                                                           s.where.size(), of.workloads.size()));
  std::vector<said_often> without;
  for (const no_lattice& none : of.without) add(without, none.why, workload_text(*of.view, *none.row), 0);
  for (const said_often& s : without)
    out.push_back(fmt::format(
        "{}{}: {}.", s.where.front(),
        s.where.size() > 1 ? fmt::format(" and {} other workloads", s.where.size() - 1) : "", s.what));
  return out;
}

}  // namespace

said_pair said(const workload_shares& of, const share_pair& pair) {
  const std::string first = backticked(of.name_of(of.shares[pair.first])),
                    second = backticked(of.name_of(of.shares[pair.second]));
  const said_of_one one = said_of(first, second, pair.first_without_second, pair.first_with_second),
                    other = said_of(second, first, pair.second_without_first, pair.second_with_first);
  const std::string figures = figures_of(pair.first_without_second, pair.first_with_second);
  const bool is_plain = one.what.find(',') == one.what.npos && other.what.find(',') == other.what.npos;
  if (one.rank == 0 && other.rank == 0 && is_plain)
    return {
        fmt::format("{} and {} pay only together", first, second),
        fmt::format("{:.2f}× and {:.2f}× alone, {:.2f}× after the other", pair.first_without_second.factor(),
                    pair.second_without_first.factor(), pair.first_with_second.factor())};
  if (other.rank < one.rank)
    return {other.what, figures_of(pair.second_without_first, pair.second_with_first)};
  return {one.what, figures};
}

std::vector<std::string> sentences_of(const attribution& of) {
  std::vector<std::string> out;
  for (const auto& some : {said_of_pairs(of), said_of_blocks(of), said_of_followers(of), said_of_orders(of),
                           said_of_missing(of)})
    out.insert(out.end(), some.begin(), some.end());
  return out;
}

std::string about_shares(const attribution& of, const effect_limits& limits) {
  const bool has_launches =
      std::any_of(of.workloads.begin(), of.workloads.end(),
                  [](const workload_shares& w) { return w.whole && w.whole->launches > 1; });
  const std::string intervals =
      has_launches
          ? fmt::format(
                "Intervals of {:g} % are over launches, each with its own shares; an effect counts beyond "
                "{:g} %.",
                100 * limits.confidence, limits.minimum_pct)
          : fmt::format(
                "One launch was measured: intervals of {:g} % come from the errors of its medians, and an "
                "effect counts beyond {:g} % ({:g} % below {:g} µs).",
                100 * limits.confidence, limits.one_launch_pct, limits.one_launch_short_pct,
                limits.short_below_us);
  return "A share is the mean factor of a switch over all orders in which the switches can be changed one by "
         "one, each order with the same weight: the Shapley value of the logarithm of the speed-up. Shares "
         "multiply to the whole. An order counts if every point on the way can run; nothing is assumed about "
         "a point that cannot. First in: the switch alone, at the first point. Leave one out: what it adds "
         "to all others, at the second. " +
         intervals;
}

std::string workload_text(const operation_view& view, const comparable_cases& row) {
  const std::string point = workload_labels(view, view.varying_axes()).of(row.axes);
  return point.empty() ? row.cache_state : point + ", " + row.cache_state;
}

}  // namespace ablate::attribute
