#include "reports/search/replay.h"

#include <algorithm>
#include <set>

namespace ablate::search {
namespace {

class recorded_measurer final : public measurer {
 public:
  explicit recorded_measurer(const std::vector<answer>& recorded) : recorded_(recorded) {}

  std::vector<answer> check(const std::vector<std::size_t>& points) override {
    asked_.insert(asked_.end(), points.begin(), points.end());
    return in_launch(points, first_launch);
  }
  std::vector<answer> time_again(const std::vector<std::size_t>& points) override {
    timings_ += points.size();
    return in_launch(points, ++last_launch_);
  }

  const std::vector<std::size_t>& asked() const { return asked_; }
  std::size_t timings() const { return timings_; }

 private:
  std::vector<answer> in_launch(const std::vector<std::size_t>& points, std::size_t launch) const {
    std::vector<answer> out;
    for (const std::size_t p : points) {
      out.push_back(recorded_[p]);
      out.back().launch = launch;
    }
    return out;
  }

  const std::vector<answer>& recorded_;
  std::vector<std::size_t> asked_;
  std::size_t last_launch_ = first_launch, timings_ = 0;
};

/// To which steps in one switch lead from the beginning, itself included.
std::set<std::size_t> reached_from(const beginning& from, const space& of) {
  std::set<std::size_t> out(from.points.begin(), from.points.end());
  std::vector<std::size_t> open = from.points;
  while (!open.empty()) {
    const std::size_t p = open.back();
    open.pop_back();
    for (const neighbor& n : of.neighbors(p))
      if (out.insert(n.point).second) open.push_back(n.point);
  }
  return out;
}

}  // namespace

double expected_regret(std::vector<double> times, std::size_t drawn) {
  std::ranges::sort(times);
  const std::size_t all = times.size();
  drawn = std::clamp<std::size_t>(drawn, 1, all);
  // The i-th is the least drawn if it is among the drawn and none of the faster ones is.
  double expected = 0, none_before = 1;
  for (std::size_t i = 0; i + drawn <= all; ++i) {
    const double is_drawn = static_cast<double>(drawn) / static_cast<double>(all - i);
    expected += none_before * is_drawn * times[i];
    none_before *= 1 - is_drawn;
  }
  return expected / times.front() - 1;
}

double expected_draws(std::size_t all, std::size_t good) {
  return static_cast<double>(all + 1) / static_cast<double>(good + 1);
}

std::optional<replay> replayed(const space& of, const beginning& from, const std::vector<answer>& recorded,
                               const settings& how, std::size_t least_points) {
  observations all(how.limits, from.baseline);
  for (const answer& a : recorded) all.add(a);
  const std::set<std::size_t> reached = reached_from(from, of);
  std::vector<std::size_t> counting = all.counting();
  std::erase_if(counting, [&](std::size_t p) { return !reached.contains(p); });
  if (counting.size() < std::max<std::size_t>(least_points, 1)) return std::nullopt;
  std::vector<double> times;
  for (const std::size_t p : counting) times.push_back(all.first_us(p));
  const double least = *std::ranges::min_element(times);
  const auto is_close = [&](double us) { return us <= least * (1 + close_pct / 100); };

  recorded_measurer by(recorded);
  const outcome found = by_halving(of, from, how, by);
  if (!found.found) return std::nullopt;
  std::vector<std::size_t> asked = by.asked();
  std::erase_if(asked, [&](std::size_t p) { return !all.counts(p); });
  replay out{counting.size(), asked.size(), by.timings(), 0, 0, std::nullopt, 0, false};
  out.regret = all.first_us(found.found->winner) / least - 1;
  out.random_regret = expected_regret(times, out.asked);
  const auto close = std::ranges::find_if(asked, [&](std::size_t p) { return is_close(all.first_us(p)); });
  if (close != asked.end()) out.asked_until_close = static_cast<std::size_t>(close - asked.begin()) + 1;
  out.random_until_close =
      expected_draws(times.size(), static_cast<std::size_t>(std::ranges::count_if(times, is_close)));
  out.is_proven = found.found->holds();
  return out;
}

}  // namespace ablate::search
