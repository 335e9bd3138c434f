#include "reports/search/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace ablate::search {
namespace {

using gate::verdict;

compared_neighbor unmeasured(const neighbor& n, std::string reason, bool is_open) {
  return {n.point, n.differs_in, neighbor_state::not_measured, std::nullopt, std::move(reason), is_open};
}

compared_neighbor compared(const neighbor& n, const space& of, const observations& seen, std::size_t winner) {
  if (!of.can_run(n.point)) return unmeasured(n, of.points()[n.point].why_not, false);
  if (!seen.was_asked(n.point)) return unmeasured(n, "the budget was spent", true);
  if (!seen.counts(n.point)) return unmeasured(n, seen.why_out(n.point), false);
  return {n.point, n.differs_in, neighbor_state::tied, seen.ratio(winner, n.point), "", false};
}

void decide(compared_neighbor& n, std::size_t most_launches) {
  const reports::judgment& found = n.over->verdict;
  const bool is_exhausted = n.over->launches >= most_launches;
  switch (found.word) {
    case verdict::slower:
      n.state = neighbor_state::slower;
      return;
    case verdict::faster:
      n.state = neighbor_state::faster;
      n.is_open = true;
      return;
    case verdict::same:
      // One launch proves no tie: it cannot tell an effect below its own noise from none.
      n.is_open = n.over->launches == 1 && !is_exhausted;
      n.reason = n.is_open ? "of one launch" : "";
      return;
    default:
      n.is_open = !is_exhausted;
      n.reason = found.reason;
  }
}

double ratio_of(const compared_neighbor& n) { return n.over ? n.over->time.estimate : 0; }

int place_of(neighbor_state state) {
  switch (state) {
    case neighbor_state::faster:
      return 0;
    case neighbor_state::tied:
      return 1;
    case neighbor_state::slower:
      return 2;
    default:
      return 3;
  }
}

}  // namespace

std::string_view name_of(neighbor_state state) {
  switch (state) {
    case neighbor_state::slower:
      return "slower";
    case neighbor_state::tied:
      return "tied";
    case neighbor_state::faster:
      return "faster";
    default:
      return "not_measured";
  }
}

std::size_t proof::count(neighbor_state state) const {
  return static_cast<std::size_t>(std::ranges::count(neighbors, state, &compared_neighbor::state));
}

std::size_t proof::open() const {
  return static_cast<std::size_t>(std::ranges::count(neighbors, true, &compared_neighbor::is_open));
}

bool proof::holds() const { return open() == 0 && count(neighbor_state::faster) == 0; }

proof proof_of(const space& of, const observations& seen, std::size_t winner, std::size_t most_launches) {
  proof out{winner, {}};
  for (const neighbor& n : of.neighbors(winner)) out.neighbors.push_back(compared(n, of, seen, winner));
  std::vector<reports::judgment*> together;
  for (compared_neighbor& n : out.neighbors)
    if (n.over) together.push_back(&n.over->verdict);
  reports::control_false_discoveries(together, seen.limits());
  for (compared_neighbor& n : out.neighbors)
    if (n.over) decide(n, most_launches);
  std::ranges::stable_sort(out.neighbors, {}, [](const compared_neighbor& n) {
    return std::tuple(place_of(n.state), ratio_of(n));
  });
  return out;
}

}  // namespace ablate::search
