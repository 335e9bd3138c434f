#include "reports/search/strategy.h"

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <utility>

namespace ablate::search {
namespace {

using points_list = std::vector<std::size_t>;

bool has_point(const points_list& all, std::size_t p) { return std::ranges::find(all, p) != all.end(); }

void add_points(points_list& to, const points_list& more) {
  for (const std::size_t p : more)
    if (!has_point(to, p)) to.push_back(p);
}

class searcher {
 public:
  searcher(const space& of, const beginning& from, const settings& how, measurer& by)
      : of_(of), from_(from), how_(how), by_(by), seen_(how.limits, from.baseline) {}

  outcome by_halving() {
    check(from_.points);
    points_list kept = halved(from_.points);
    std::set<std::size_t> tried;
    while (!ran_out_ && !kept.empty()) {
      if (const points_list fresh = unasked_around(kept); !fresh.empty()) {
        check(fresh);
        points_list all = kept;
        add_points(all, fresh);
        if (ran_out_) break;  // the survivors were timed more often than what has just come
        kept = halved(all);
        continue;
      }
      tried.insert(kept.front());
      const std::optional<std::size_t> better = better_neighbor(kept.front());
      if (!better && seen_.counts(kept.front())) break;
      if (better && tried.contains(*better)) break;
      points_list next;
      if (better) next = {*better};
      add_points(next, kept);
      std::erase_if(next, [&](std::size_t p) { return !seen_.counts(p); });
      kept = next.empty() ? halved(seen_.counting()) : std::move(next);
    }
    return finished(kept);
  }

  outcome at_random() {
    constexpr std::size_t batch = 8;
    points_list order;
    for (std::size_t p = 0; p < of_.points().size(); ++p)
      if (of_.can_run(p)) order.push_back(p);
    std::mt19937_64 random(how_.seed);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (std::size_t begin = 0; begin < order.size() && !ran_out_; begin += batch)
      check({order.begin() + static_cast<std::ptrdiff_t>(begin),
             order.begin() + static_cast<std::ptrdiff_t>(std::min(begin + batch, order.size()))});
    points_list best = seen_.ranked(seen_.counting());
    std::set<std::size_t> tried;
    while (!ran_out_ && !best.empty() && tried.insert(best.front()).second) {
      const std::optional<std::size_t> better = better_neighbor(best.front());
      if (better) best.insert(best.begin(), *better);
      std::erase_if(best, [&](std::size_t p) { return !seen_.counts(p); });
    }
    return finished(best);
  }

 private:
  void take(const std::vector<answer>& answers) {
    for (const answer& a : answers) seen_.add(a);
  }

  void check(points_list points) {
    std::erase_if(points, [&](std::size_t p) { return !of_.can_run(p) || seen_.was_asked(p); });
    if (points.empty()) return;
    // Points that another program timed go first, the fastest ahead.
    std::ranges::stable_sort(points, {}, [&](std::size_t p) {
      const auto hint = from_.hints_us.find(p);
      return hint == from_.hints_us.end() ? std::numeric_limits<double>::infinity() : hint->second;
    });
    const std::vector<answer> answers = by_.check(points);
    take(answers);
    ran_out_ |= answers.size() < points.size();
  }

  void time_again(const points_list& points) {
    const std::vector<answer> answers = by_.time_again(points);
    take(answers);
    ran_out_ |= answers.empty();
  }

  bool is_slower(std::size_t p, std::size_t than) const {
    return seen_.ratio(than, p).verdict.word == gate::verdict::slower;
  }

  /// Down to the survivors, the fastest first.
  points_list halved(const points_list& candidates) {
    points_list left = seen_.ranked(candidates);
    for (std::size_t launches = 1; !left.empty(); launches *= 2) {
      const std::size_t fastest = left.front();
      std::erase_if(left, [&](std::size_t p) { return p != fastest && is_slower(p, fastest); });
      if (left.size() <= how_.survivors || ran_out_) break;
      left.resize(std::max(how_.survivors, (left.size() + 1) / 2));
      for (std::size_t i = 0; i < launches && !ran_out_; ++i) time_again(left);
      left = seen_.ranked(left);
    }
    if (left.size() > how_.survivors) left.resize(how_.survivors);
    return left;
  }

  points_list unasked_around(const points_list& kept) const {
    points_list out;
    for (const std::size_t p : kept)
      for (const neighbor& n : of_.neighbors(p)) add_points(out, {n.point});
    for (const switch_pair& pair : interacting_switches(of_, seen_))
      for (const std::size_t p : kept) add_points(out, of_.across(p, pair));
    std::erase_if(out, [&](std::size_t p) { return !of_.can_run(p) || seen_.was_asked(p); });
    return out;
  }

  /// A neighbor that is faster by more than noise over several launches. Times the point and its neighbors
  /// until each is decided, or the budget is spent.
  std::optional<std::size_t> better_neighbor(std::size_t winner) {
    while (!ran_out_ && seen_.counts(winner)) {
      points_list open = {winner};
      for (const compared_neighbor& n : proof_of(of_, seen_, winner, how_.most_launches).neighbors) {
        if (!n.over) continue;
        if (n.state == neighbor_state::faster && n.over->launches > 1) return n.point;
        if (n.is_open) open.push_back(n.point);
      }
      if (open.size() == 1) break;
      time_again(open);
    }
    return std::nullopt;
  }

  /// From a point on, the fastest of those that are faster by more than noise.
  std::size_t beyond_noise(std::size_t winner) const {
    std::set<std::size_t> tried;
    while (tried.insert(winner).second) {
      std::size_t best = winner;
      double least = 0;
      for (const std::size_t p : seen_.counting()) {
        if (p == winner || tried.contains(p)) continue;
        const reports::judged_ratio over = seen_.ratio(winner, p);
        if (over.verdict.word == gate::verdict::faster && over.time.estimate < least)
          best = p, least = over.time.estimate;
      }
      winner = best;
    }
    return winner;
  }

  outcome finished(const points_list& kept) {
    std::optional<std::size_t> winner;
    for (const std::size_t p : kept)
      if (!winner && seen_.counts(p)) winner = p;
    if (!winner)
      if (const points_list all = seen_.ranked(seen_.counting()); !all.empty()) winner = all.front();
    std::optional<proof> found;
    if (winner && ran_out_) winner = beyond_noise(*winner);
    if (winner) found = proof_of(of_, seen_, *winner, how_.most_launches);
    return {seen_, std::move(found), ran_out_, interacting_switches(of_, seen_)};
  }

  const space& of_;
  const beginning& from_;
  const settings& how_;
  measurer& by_;
  observations seen_;
  bool ran_out_ = false;
};

}  // namespace

outcome by_halving(const space& of, const beginning& from, const settings& how, measurer& by) {
  return searcher(of, from, how, by).by_halving();
}

outcome at_random(const space& of, const beginning& from, const settings& how, measurer& by) {
  return searcher(of, from, how, by).at_random();
}

}  // namespace ablate::search
