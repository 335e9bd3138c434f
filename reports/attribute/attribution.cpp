#include "reports/attribute/attribution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

#include "base/text/bad_input.h"
#include "base/text/names.h"

namespace ablate::attribute {
namespace {

using namespace reports;

std::vector<std::size_t> players_of(coalition block) {
  std::vector<std::size_t> out;
  for (; block != 0; block &= block - 1) out.push_back(static_cast<std::size_t>(std::countr_zero(block)));
  return out;
}

std::set<coalition> coalitions_on(const allowed_orders& orders, const std::vector<block_order>& some) {
  std::set<coalition> out;
  for (const block_order& order : some)
    for (const coalition s : orders.coalitions_on(order)) out.insert(s);
  return out;
}

/// As many pairs of orders as the points allow, one at least.
std::vector<block_order> drawn_within(const allowed_orders& orders, std::size_t points) {
  constexpr std::size_t most_pairs = 64;
  std::vector<block_order> out = orders.drawn(seed_of_orders, 1);
  for (std::size_t pairs = 2; pairs <= most_pairs; ++pairs) {
    std::vector<block_order> more = orders.drawn(seed_of_orders, pairs);
    if (coalitions_on(orders, more).size() > points) break;
    out = std::move(more);
  }
  return out;
}

drawn_means means_over(const allowed_orders& orders, const std::vector<block_order>& drawn,
                       std::size_t block) {
  drawn_means out{orders.share_over(drawn, block), {}};
  for (std::size_t i = 0; i + 1 < drawn.size(); i += 2)
    out.of_pairs.push_back(orders.share_over({drawn[i], drawn[i + 1]}, block));
  return out;
}

std::optional<worth> worth_of(const lattice_times& times, const std::optional<linear_form>& form) {
  return form ? times.of(*form) : std::nullopt;
}

std::vector<moved_metric> moved_over(const record& r, const lattice& of,
                                     const std::vector<order_step>& steps) {
  std::vector<weighted_step> cases;
  for (const order_step& step : steps) {
    const measured_case *from = of.points[step.from].measured, *to = of.points[step.to].measured;
    if (!from || !to) return {};
    cases.push_back({from, to, step.weight});
  }
  return moved_metrics(r, cases);
}

/// The steps of a block in drawn orders.
std::vector<order_step> steps_in(const allowed_orders& orders, const std::vector<block_order>& drawn,
                                 std::size_t block) {
  std::vector<order_step> out;
  for (const block_order& order : drawn) {
    const auto place = static_cast<std::size_t>(std::find(order.begin(), order.end(), block) - order.begin());
    const std::vector<coalition> on = orders.coalitions_on(order);
    out.push_back({on[place], on[place + 1], 1.0 / static_cast<double>(drawn.size())});
  }
  return out;
}

switch_share share_of_block(const record& r, const workload_shares& of, const lattice_times& times,
                            std::size_t block) {
  const std::vector<order_step> steps = of.orders.steps(block);
  switch_share out{players_of(of.orders.blocks()[block]),
                   times.of(of.orders.share(block)),
                   worth_of(times, of.orders.first_in(block)),
                   worth_of(times, of.orders.leave_one_out(block)),
                   steps.size(),
                   0,
                   0,
                   0,
                   {}};
  for (const order_step& step : steps)
    if (const auto gain = times.gain(step.from, step.to)) {
      const double factor = std::exp(*gain);
      out.least_step = out.measured_steps == 0 ? factor : std::min(out.least_step, factor);
      out.greatest_step = std::max(out.greatest_step, factor);
      ++out.measured_steps;
    }
  if (of.rests_on == evidence::sampled) {
    out.share = times.of(means_over(of.orders, of.drawn, block));
    out.moved = moved_over(r, of.between, steps_in(of.orders, of.drawn, block));
  } else if (out.share) {
    out.moved = moved_over(r, of.between, steps);
  }
  return out;
}

std::vector<share_pair> pairs_of(const workload_shares& of, const lattice_times& times) {
  std::vector<share_pair> out;
  for (std::size_t i = 0; i < of.shares.size(); ++i)
    for (std::size_t j = i + 1; j < of.shares.size(); ++j) {
      const auto forms = of.orders.together(i, j);
      if (!forms || !times.has_all(forms->interaction)) continue;
      out.push_back({i, j, *times.of(forms->interaction), *times.of(forms->first_without_second),
                     *times.of(forms->first_with_second), *times.of(forms->second_without_first),
                     *times.of(forms->second_with_first)});
    }
  return out;
}

workload_shares shares_on(const record& r, lattice between, const case_launches& launches,
                          const effect_limits& limits) {
  allowed_orders orders = between.orders();
  workload_shares out{std::move(between), std::move(orders), evidence::exact, {}, {}, {}, {}, {}};
  const lattice_times times(out.between, launches, limits);
  for (const coalition s : out.orders.coalitions())
    if (!times.has(s)) out.missing.push_back(s);
  if (!out.missing.empty()) {
    out.rests_on = evidence::missing;
    const std::size_t most = most_points(out.orders.blocks().size());
    if (out.missing.size() > most) {
      out.drawn = drawn_within(out.orders, most);
      const std::set<coalition> needed = coalitions_on(out.orders, out.drawn);
      if (std::all_of(needed.begin(), needed.end(), [&](coalition s) { return times.has(s); }))
        out.rests_on = evidence::sampled;
    }
  }
  const auto last = static_cast<coalition>(out.between.points.size() - 1);
  out.whole = times.of(linear_form{{0, -1.0}, {last, 1.0}});
  for (std::size_t block = 0; block < out.orders.blocks().size(); ++block)
    out.shares.push_back(share_of_block(r, out, times, block));
  out.pairs = pairs_of(out, times);
  return out;
}

}  // namespace

std::size_t most_points(std::size_t players) { return 4 * (players + 1); }

std::string workload_shares::name_of(const switch_share& of) const {
  std::vector<std::string> out;
  for (const std::size_t player : of.players) out.push_back(between.after(player));
  return fmt::format("{}", fmt::join(out, " with "));
}

const switch_share& workload_shares::share_of(const std::string& name, const std::string& place) const {
  for (const switch_share& share : shares) {
    const bool holds = std::any_of(share.players.begin(), share.players.end(),
                                   [&](std::size_t player) { return between.players[player].name == name; });
    if (!holds) continue;
    if (share.players.size() == 1) return share;
    std::vector<std::string> names;
    for (const std::size_t player : share.players) names.push_back("`" + between.players[player].name + "`");
    throw bad_input(
        place, "",
        fmt::format("`{}` has no share of its own: no order of points that can run changes {} one by one; "
                    "they have one share together",
                    name, fmt::join(names, " and ")));
  }
  for (const follower& f : between.followers)
    if (f.change.name == name)
      throw bad_input(
          place, "",
          fmt::format("`{}` has no share of its own: it has a meaning in only one of the two points, and its "
                      "worth is part of the share of {}",
                      name, f.of.empty() ? "the others" : fmt::format("`{}`", fmt::join(f.of, "` and `"))));
  std::vector<std::string> known;
  for (const switch_change& change : between.players) known.push_back(change.name);
  throw bad_input(place, "", no_such("switch between the two points", name, known));
}

attribution attribution_of(const record& r, const operation_view& view,
                           const std::vector<const comparable_cases*>& rows, const std::string& from,
                           const std::string& to, const switch_space* space, const case_launches& launches,
                           const effect_limits& limits) {
  attribution out{&r, &view, from, to, {}, {}, {}};
  for (const comparable_cases* row : rows) {
    std::variant<lattice, no_lattice> found = lattice_of(r, view, *row, from, to, space);
    if (no_lattice* none = std::get_if<no_lattice>(&found))
      out.without.push_back(std::move(*none));
    else
      out.workloads.push_back(shares_on(r, std::move(std::get<lattice>(found)), launches, limits));
  }
  if (space && !out.workloads.empty())
    for (const switch_change& change : out.workloads.front().between.players)
      if (std::string counter = space->should_move(change.name); !counter.empty())
        out.should_move.emplace_back(change.name, std::move(counter));
  return out;
}

}  // namespace ablate::attribute
