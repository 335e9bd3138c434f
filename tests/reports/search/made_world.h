#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "reports/ablation/limits.h"
#include "reports/search/measurer.h"
#include "reports/search/space.h"
#include "reports/search/strategy.h"

namespace ablate::search::made {

using values_of_switch = std::pair<std::string, std::vector<std::string>>;

/// "base", or "a=1+b=2" of the values that are not off.
inline std::string name_of_values(const named_words& values) {
  std::string out;
  for (const auto& [name, value] : values) out += (out.empty() ? "" : "+") + name + "=" + value;
  return out.empty() ? "base" : out;
}

/// A value of a switch, "off" where it is not stated.
inline std::string at(const named_words& values, const std::string& name) {
  const std::string* found = find_word(values, name);
  return found ? *found : "off";
}

/// Every combination, "off" the first value of each switch.
inline std::vector<point> product_of(
    const std::vector<values_of_switch>& switches,
    const std::function<std::string(const named_words&)>& why_not = [](const auto&) { return ""; }) {
  std::vector<named_words> all = {{}};
  for (const auto& [name, values] : switches) {
    std::vector<named_words> longer;
    for (const named_words& before : all) {
      longer.push_back(before);
      for (const std::string& value : values) {
        longer.push_back(before);
        longer.back().emplace_back(name, value);
      }
    }
    all = longer;
  }
  std::vector<point> out;
  for (const named_words& values : all) out.push_back({name_of_values(values), values, why_not(values)});
  return out;
}

inline space space_of(std::vector<point> points) {
  difference differs = difference_of(points);
  return {std::move(points), std::move(differs)};
}

inline reports::effect_limits limits() { return {2, 5, 30, 20, 0.5, 0.95}; }
inline settings how() { return {.limits = limits()}; }

/// A GPU that was made up: true times, noise of a launch's own, noise of each time, and faults.
class gpu final : public measurer {
 public:
  struct fault {
    std::size_t from_launch;
    std::string status, reason;
  };

  gpu(const space& of, const std::function<double(const named_words&)>& us, double noise = 0,
      std::uint64_t seed = 1)
      : of_(of), noise_(noise), random_(seed) {
    for (const point& p : of.points()) us_.push_back(us(p.values));
  }

  std::vector<answer> check(const std::vector<std::size_t>& points) override {
    std::vector<answer> out;
    for (const std::size_t p : points)
      if (checked.size() < most_checks) {
        checked.push_back(p);
        out.push_back(measured(p, first_launch, first_shift_));
      }
    return out;
  }
  std::vector<answer> time_again(const std::vector<std::size_t>& points) override {
    if (launches == most_launches) return {};
    ++launches;
    again.insert(again.end(), points.begin(), points.end());
    const double shift = normal(0.02);
    std::vector<answer> out;
    for (const std::size_t p : points) out.push_back(measured(p, first_launch + launches, shift));
    return out;
  }

  double us(std::size_t p) const { return us_[p]; }
  std::size_t fastest() const {
    std::size_t out = 0;
    for (std::size_t p = 1; p < us_.size(); ++p)
      if (of_.can_run(p) && !faults.contains(p) && (us_[p] < us_[out] || !of_.can_run(out))) out = p;
    return out;
  }

  std::map<std::size_t, fault> faults;
  std::map<std::size_t, double> quality;
  std::size_t most_checks = 1000000, most_launches = 1000000;
  std::vector<std::size_t> checked, again;
  std::size_t launches = 0;

 private:
  double normal(double sigma) { return sigma > 0 ? std::normal_distribution<double>(0, sigma)(random_) : 0; }

  answer measured(std::size_t p, std::size_t launch, double shift) {
    answer out{p, launch, "gpu"};
    if (const auto bad = faults.find(p); bad != faults.end() && launch >= bad->second.from_launch) {
      out.status = bad->second.status;
      out.reason = bad->second.reason;
      return out;
    }
    const double us = us_[p] * std::exp(shift + normal(noise_));
    measured_case::timing time{};
    time.median_us = us;
    time.min_us = time.ci95_low_us = us * 0.999;
    time.ci95_high_us = us * 1.001;
    time.method = "events";
    out.time = time;
    if (const auto figure = quality.find(p); figure != quality.end())
      out.quality = {{"error", written_number(figure->second)}};
    return out;
  }

  const space& of_;
  double noise_;
  std::mt19937_64 random_;
  double first_shift_ = 0;
  std::vector<double> us_;
};

/// What is false in an outcome, by the true times; empty where nothing is.
inline std::vector<std::string> falsehoods(const outcome& found, const space& of, const gpu& truth) {
  std::vector<std::string> out;
  if (!found.found) return {"there is no winner"};
  const proof& told = *found.found;
  const auto name = [&](std::size_t p) { return of.points()[p].name; };
  if (truth.faults.contains(told.winner)) out.push_back("the winner is faulty: " + name(told.winner));
  if (!of.can_run(told.winner)) out.push_back("the winner cannot run: " + name(told.winner));
  for (const neighbor& n : of.neighbors(told.winner))
    if (std::ranges::count(told.neighbors, n.point, &compared_neighbor::point) != 1)
      out.push_back("a neighbor is not told once: " + name(n.point));
  for (const compared_neighbor& n : told.neighbors) {
    const double ratio = truth.us(n.point) / truth.us(told.winner);
    const bool is_faulty = truth.faults.contains(n.point) || !of.can_run(n.point);
    if (n.state == neighbor_state::slower && (is_faulty || ratio < 1.001))
      out.push_back("told slower: " + name(n.point));
    if (n.state == neighbor_state::faster && (is_faulty || ratio > 0.999))
      out.push_back("told faster: " + name(n.point));
    if (n.state == neighbor_state::tied && is_faulty) out.push_back("a faulty tie: " + name(n.point));
    if (n.state == neighbor_state::not_measured && n.reason.empty())
      out.push_back("no reason: " + name(n.point));
    if (told.holds() && !is_faulty && ratio < 1 / 1.03)
      out.push_back("a better one is left: " + name(n.point));
    if (told.holds() && n.state == neighbor_state::not_measured && !is_faulty)
      out.push_back("proven without having measured " + name(n.point));
  }
  return out;
}

}  // namespace ablate::search::made
