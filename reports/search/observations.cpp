#include "reports/search/observations.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/views/operation_view.h"

namespace ablate::search {
namespace {

bool is_right(const answer& a) { return a.status == "ok" && a.time; }

bool is_effect(const reports::judged_ratio& of) {
  return of.verdict.word == gate::verdict::faster || of.verdict.word == gate::verdict::slower;
}

/// Both steps from `p` and the points in which they meet.
struct square {
  std::size_t first, second, both;
  switch_pair switches;
};

std::vector<square> squares_at(std::size_t p, const space& of, const observations& seen) {
  std::vector<square> out;
  const std::vector<neighbor>& near = of.neighbors(p);
  for (const neighbor& one : near)
    for (const neighbor& other : near) {
      if (!(one.differs_in < other.differs_in) || !seen.counts(one.point) || !seen.counts(other.point))
        continue;
      for (const neighbor& both : of.neighbors(one.point))
        if (both.differs_in == other.differs_in && both.point != p && seen.counts(both.point) &&
            std::ranges::any_of(of.neighbors(other.point), [&](const neighbor& n) {
              return n.point == both.point && n.differs_in == one.differs_in;
            }))
          out.push_back({one.point, other.point, both.point, {one.differs_in, other.differs_in}});
    }
  return out;
}

}  // namespace

void observations::add(const answer& a) { answers_[a.point].push_back(a); }

const std::vector<answer>& observations::of(std::size_t point) const {
  static const std::vector<answer> none;
  const auto found = answers_.find(point);
  return found == answers_.end() ? none : found->second;
}

const answer* observations::reference() const {
  const auto sound = [](const std::vector<answer>& all) { return std::ranges::all_of(all, is_right); };
  if (reference_)
    if (const auto found = answers_.find(*reference_); found != answers_.end() && sound(found->second))
      return &found->second.front();
  for (const auto& [point, all] : answers_)
    if (sound(all)) return &all.front();
  return nullptr;
}

std::string observations::why_out(std::size_t point) const {
  const std::vector<answer>& all = of(point);
  if (all.empty()) return "not asked";
  for (const answer& a : all)
    if (!is_right(a)) return a.reason.empty() ? a.status : fmt::format("{}: {}", a.status, a.reason);
  const answer& base = *reference();
  if (all.front().time->method != base.time->method)
    return fmt::format("timed by {}, others by {}", all.front().time->method, base.time->method);
  if (reports::differ_in_quality(base.quality, all.front().quality))
    return "its output differs in quality from the baseline's";
  return "";
}

std::vector<std::size_t> observations::counting() const {
  std::vector<std::size_t> out;
  for (const auto& [point, all] : answers_)
    if (counts(point)) out.push_back(point);
  return out;
}

std::size_t observations::launches() const {
  std::set<std::size_t> out;
  for (const auto& [point, all] : answers_)
    for (const answer& a : all) out.insert(a.launch);
  return out.size();
}

double observations::first_us(std::size_t point) const { return of(point).front().time->median_us; }

const answer* observations::in(std::size_t point, std::size_t launch) const {
  const std::vector<answer>& all = of(point);
  const auto found = std::ranges::find(all, launch, &answer::launch);
  return found == all.end() ? nullptr : &*found;
}

std::uint64_t observations::gpu_of(const answer& a) const {
  return gpus_.emplace(a.gpu, gpus_.size()).first->second;
}

reports::judged_ratio observations::ratio(std::size_t from, std::size_t to) const {
  std::vector<reports::timed_pair> pairs;
  for (const answer& a : of(from))
    if (const answer* other = in(to, a.launch)) pairs.push_back({&*a.time, &*other->time, gpu_of(a)});
  return reports::judged_ratio_of(pairs, first_us(from), limits_);
}

std::optional<reports::judged_ratio> observations::excess(std::size_t neither, std::size_t first,
                                                          std::size_t second, std::size_t both) const {
  std::vector<reports::timed_square> squares;
  for (const answer& n : of(neither)) {
    const answer *a = in(first, n.launch), *b = in(second, n.launch), *t = in(both, n.launch);
    if (a && b && t) squares.push_back({&*n.time, &*a->time, &*b->time, &*t->time, gpu_of(n)});
  }
  if (squares.empty()) return std::nullopt;
  return reports::judged_excess_of(squares, first_us(neither), limits_);
}

std::vector<std::size_t> observations::ranked(std::vector<std::size_t> points) const {
  std::erase_if(points, [&](std::size_t p) { return !counts(p); });
  if (points.empty()) return points;
  // A launch moves all of its times together, so points are ranked by ratios within launches. One point more
  // than others decides which: that of the fastest first launch.
  const std::size_t over = *std::ranges::min_element(points, {}, [&](std::size_t p) { return first_us(p); });
  std::map<std::size_t, double> times;
  for (const std::size_t p : points) times[p] = p == over ? 0 : ratio(over, p).time.estimate;
  std::ranges::stable_sort(points, {}, [&](std::size_t p) { return times.at(p); });
  return points;
}

std::vector<switch_pair> interacting_switches(const space& of, const observations& seen) {
  std::set<switch_pair> out;
  for (const std::size_t p : seen.counting())
    for (const square& s : squares_at(p, of, seen)) {
      if (out.contains(s.switches)) continue;
      const auto excess = seen.excess(p, s.first, s.second, s.both);
      if (excess && is_effect(*excess)) out.insert(s.switches);
    }
  return {out.begin(), out.end()};
}

}  // namespace ablate::search
