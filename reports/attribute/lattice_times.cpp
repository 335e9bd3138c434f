#include "reports/attribute/lattice_times.h"

#include <algorithm>
#include <cmath>

#include "base/statistics/launch_ratio.h"
#include "base/statistics/student.h"

namespace ablate::attribute {
namespace {

using namespace reports;

/// How far the mean of pairs may be from the mean over all orders; no bound of a single pair.
double half_width_of_drawing(const std::vector<double>& pairs, double tail) {
  if (pairs.size() < 2) return gate::unbounded;
  const auto n = static_cast<double>(pairs.size());
  double sum = 0, squares = 0;
  for (const double value : pairs) sum += value;
  for (const double value : pairs) squares += (value - sum / n) * (value - sum / n);
  return gate::student_quantile_above(tail, pairs.size() - 1) * std::sqrt(squares / (n - 1) / n);
}

}  // namespace

double worth::factor() const { return std::exp(gain.estimate); }
double worth::low() const { return std::exp(gain.low); }
double worth::high() const { return std::exp(gain.high); }
bool worth::is_sure() const {
  return verdict.word == gate::verdict::faster || verdict.word == gate::verdict::slower;
}

lattice_times::lattice_times(const lattice& of, const case_launches& launches, const effect_limits& limits)
    : first_us_(of.from->time.median_us), limits_(limits) {
  for (coalition s = 0; s < of.points.size(); ++s) {
    const lattice_point& p = of.points[s];
    if (!p.measured || !p.forbidden.empty()) continue;
    auto& by_launch = cases_[s];
    for (const launched_case& c : launches.of(*p.measured)) by_launch.emplace(c.launch, c);
  }
  for (std::size_t i = 0; i < launches.count(); ++i)
    if (std::all_of(cases_.begin(), cases_.end(), [&](const auto& c) { return c.second.contains(i); }))
      launches_.push_back(i);
}

bool lattice_times::has_all(const linear_form& form) const {
  return std::all_of(form.begin(), form.end(), [&](const auto& term) { return has(term.first); });
}

std::vector<lattice_times::launched_form> lattice_times::by_launch(const linear_form& form) const {
  std::vector<launched_form> out;
  for (const std::size_t launch : launches_) {
    double value = 0, variance = 0;
    std::uint64_t gpu = 0;
    for (const auto& [s, factor] : form) {
      const launched_case& c = cases_.at(s).at(launch);
      value += factor * std::log(c.of->time.median_us);
      const double error = factor * log_error(*c.of);
      variance += error * error;
      gpu = c.gpu;
    }
    out.push_back({gpu, value, std::sqrt(variance)});
  }
  return out;
}

worth lattice_times::judged_worth(const gate::shift& time, std::size_t launches) const {
  return {{-time.estimate, -time.high, -time.low}, launches, judged(time, first_us_, launches, limits_)};
}

std::optional<worth> lattice_times::of(const linear_form& form) const {
  if (!has_all(form)) return std::nullopt;
  const std::vector<launched_form> launches = by_launch(form);
  if (launches.size() == 1) {
    const double half = gate::normal_quantile_above((1 - limits_.confidence) / 2) * launches.front().error;
    const double value = launches.front().value;
    return judged_worth({value, value - half, value + half}, 1);
  }
  std::vector<gate::launched_ratio> ratios;
  for (const launched_form& l : launches) ratios.push_back({l.gpu, l.value, l.error});
  const gate::launch_ratio over = gate::ratio_over_launches(ratios, limits_.confidence);
  return judged_worth({over.estimate, over.low, over.high}, over.launches);
}

std::optional<worth> lattice_times::of(const drawn_means& drawn) const {
  const std::optional<worth> mean = of(drawn.mean);
  if (!mean) return std::nullopt;
  std::vector<double> pairs;
  for (const linear_form& pair : drawn.of_pairs)
    if (const auto one = of(pair))
      pairs.push_back(one->gain.estimate);
    else
      return std::nullopt;
  const double half = std::hypot((mean->gain.high - mean->gain.low) / 2,
                                 half_width_of_drawing(pairs, (1 - limits_.confidence) / 2));
  const double time = -mean->gain.estimate;
  return judged_worth({time, time - half, time + half}, mean->launches);
}

std::optional<double> lattice_times::gain(coalition from, coalition to) const {
  const auto found = of(linear_form{{std::min(from, to), from < to ? -1.0 : 1.0},
                                    {std::max(from, to), from < to ? 1.0 : -1.0}});
  return found ? std::optional(found->gain.estimate) : std::nullopt;
}

}  // namespace ablate::attribute
