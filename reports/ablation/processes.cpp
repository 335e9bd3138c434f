#include "reports/ablation/processes.h"

#include <algorithm>
#include <cmath>

#include "base/record/clocks.h"

namespace ablate::reports {
namespace {

using timing = measured_case::timing;

double log_ratio(double above, double below) { return std::log(above) - std::log(below); }

bool is_bounded(const gate::shift& s) { return std::isfinite(s.low) && std::isfinite(s.high); }

/// What the two medians' intervals allow within a process.
gate::shift within(const timing& from, const timing& to) {
  return {log_ratio(to.median_us, from.median_us), log_ratio(to.ci95_low_us, from.ci95_high_us),
          log_ratio(to.ci95_high_us, from.ci95_low_us)};
}

}  // namespace

double effect::ratio() const { return std::exp(-time.estimate); }
double effect::low() const { return std::exp(-time.high); }
double effect::high() const { return std::exp(-time.low); }
std::optional<double> effect::in_cycles() const { return ratio_in_cycles(*from, *to); }

double joint_effect::factor() const { return std::exp(-time.estimate); }
double joint_effect::low() const { return std::exp(-time.high); }
double joint_effect::high() const { return std::exp(-time.low); }

process_launches::process_launches(const record& shown, const std::vector<const record*>& more,
                                   const effect_limits& limits)
    : launches_(std::make_shared<const case_launches>(shown, more)), limits_(limits) {}

process_launches::medians process_launches::of(const measured_case& c) const {
  medians out;
  for (const launched_case& launched : launches_->of(c))
    out.emplace(launched.launch, std::log(launched.of->time.median_us));
  return out;
}

effect process_launches::between(const measured_case& from, const measured_case& to) const {
  effect out{&from, &to, within(from.time, to.time), 1, {}, launches_->moved_pct(from)};
  const std::vector<launched_pair> pairs = pairs_of(*launches_, from, to);
  out.processes = pairs.size();
  bool has_interval = false;
  if (pairs.size() > 1) {
    std::vector<double> differences;
    for (const launched_pair& pair : pairs) {
      const gate::shift here = within(pair.first->time, pair.second->time);
      differences.push_back(here.estimate);
      out.time.low = std::min(out.time.low, here.low);
      out.time.high = std::max(out.time.high, here.high);
    }
    const gate::shift over = gate::paired_shift(differences, limits_.confidence);
    out.time.estimate = over.estimate;
    has_interval = is_bounded(over);
    if (has_interval) out.time = over;
  }
  out.said = judged(out.time, from.time.median_us, has_interval ? out.processes : 1, limits_);
  return out;
}

joint_effect process_launches::joint(const measured_case& neither, const measured_case& first,
                                     const measured_case& second, const measured_case& both) const {
  joint_effect out{{}, 1, {}};
  const medians none = of(neither), one = of(first), other = of(second), all = of(both);
  std::vector<double> excess;
  for (const auto& [process, value] : all)
    if (none.contains(process) && one.contains(process) && other.contains(process))
      excess.push_back(value + none.at(process) - one.at(process) - other.at(process));
  if (excess.size() > 1) {
    out.processes = excess.size();
    out.time = gate::paired_shift(excess, limits_.confidence);
  } else {
    const timing &t = both.time, &n = neither.time, &a = first.time, &b = second.time;
    out.time = {log_ratio(t.median_us * n.median_us, a.median_us * b.median_us),
                log_ratio(t.ci95_low_us * n.ci95_low_us, a.ci95_high_us * b.ci95_high_us),
                log_ratio(t.ci95_high_us * n.ci95_high_us, a.ci95_low_us * b.ci95_low_us)};
  }
  out.said = judged(out.time, neither.time.median_us, out.processes, limits_);
  return out;
}

}  // namespace ablate::reports
