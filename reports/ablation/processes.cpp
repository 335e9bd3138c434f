#include "reports/ablation/processes.h"

#include <algorithm>
#include <cmath>

#include "base/record/clocks.h"

namespace ablate::reports {
namespace {

using timing = measured_case::timing;

double log_ratio(double above, double below) { return std::log(above) - std::log(below); }

gate::shift shift_of(const gate::launch_ratio& over) { return {over.estimate, over.low, over.high}; }

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

process_launches::by_process process_launches::of(const measured_case& c) const {
  by_process out;
  for (const launched_case& launched : launches_->of(c)) out.emplace(launched.launch, launched);
  return out;
}

effect process_launches::between(const measured_case& from, const measured_case& to) const {
  const std::vector<launched_pair> pairs = pairs_of(*launches_, from, to);
  effect out{&from, &to, {}, pairs.size(), {}, launches_->moved_pct(from)};
  if (pairs.size() > 1) {
    const gate::launch_ratio over = ratio_over_launches(pairs, limits_.confidence);
    out.time = shift_of(over);
    out.verdict = judged(over, limits_);
  } else {
    out.time = within(pairs.front().first->time, pairs.front().second->time);
    out.verdict = judged_within_launch(out.time, from.time.median_us, limits_);
  }
  return out;
}

joint_effect process_launches::joint(const measured_case& neither, const measured_case& first,
                                     const measured_case& second, const measured_case& both) const {
  const by_process none = of(neither), one = of(first), other = of(second), all = of(both);
  /// A launch that measured all four.
  struct square {
    const timing &n, &a, &b, &t;
  };
  std::vector<square> squares;
  std::vector<gate::launched_ratio> excess;
  for (const auto& [process, c] : all) {
    if (!none.contains(process) || !one.contains(process) || !other.contains(process)) continue;
    const measured_case &n = *none.at(process).of, &a = *one.at(process).of, &b = *other.at(process).of;
    squares.push_back({n.time, a.time, b.time, c.of->time});
    excess.push_back(
        {c.gpu, log_ratio(c.of->time.median_us * n.time.median_us, a.time.median_us * b.time.median_us),
         std::hypot(std::hypot(log_error(*c.of), log_error(n)), std::hypot(log_error(a), log_error(b)))});
  }
  joint_effect out{{}, squares.size(), {}};
  if (squares.size() > 1) {
    const gate::launch_ratio over = gate::ratio_over_launches(excess, limits_.confidence);
    out.time = shift_of(over);
    out.verdict = judged(over, limits_);
  } else {
    const auto& [n, a, b, t] = squares.front();
    out.time = {log_ratio(t.median_us * n.median_us, a.median_us * b.median_us),
                log_ratio(t.ci95_low_us * n.ci95_low_us, a.ci95_high_us * b.ci95_high_us),
                log_ratio(t.ci95_high_us * n.ci95_high_us, a.ci95_low_us * b.ci95_low_us)};
    out.verdict = judged_within_launch(out.time, neither.time.median_us, limits_);
  }
  return out;
}

}  // namespace ablate::reports
