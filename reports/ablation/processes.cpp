#include "reports/ablation/processes.h"

#include <cmath>

#include "base/record/clocks.h"
#include "reports/ablation/judged_ratio.h"

namespace ablate::reports {

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
  std::vector<timed_pair> pairs;
  for (const launched_pair& p : pairs_of(*launches_, from, to))
    pairs.push_back({&p.first->time, &p.second->time, p.gpu});
  const judged_ratio found = judged_ratio_of(pairs, from.time.median_us, limits_);
  return {&from, &to, found.time, found.launches, found.verdict, launches_->moved_pct(from)};
}

joint_effect process_launches::joint(const measured_case& neither, const measured_case& first,
                                     const measured_case& second, const measured_case& both) const {
  const by_process none = of(neither), one = of(first), other = of(second), all = of(both);
  std::vector<timed_square> squares;
  for (const auto& [process, c] : all)
    if (none.contains(process) && one.contains(process) && other.contains(process))
      squares.push_back({&none.at(process).of->time, &one.at(process).of->time, &other.at(process).of->time,
                         &c.of->time, c.gpu});
  const judged_ratio found = judged_excess_of(squares, neither.time.median_us, limits_);
  return {found.time, found.launches, found.verdict};
}

}  // namespace ablate::reports
