#include "reports/ablation/processes.h"

#include <cmath>

#include "reports/record/clocks.h"
#include "reports/record/facts.h"

namespace ablate::reports {
namespace {

using timing = measured_case::timing;

double log_ratio(double above, double below) { return std::log(above) - std::log(below); }

std::vector<double> values_of(const std::map<std::size_t, double>& medians) {
  std::vector<double> out;
  for (const auto& [process, value] : medians) out.push_back(value);
  return out;
}

bool is_bounded(const gate::shift& s) { return std::isfinite(s.low) && std::isfinite(s.high); }

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
    : limits_(limits), count_(1 + more.size()) {
  if (more.empty()) return;
  std::map<std::string, const measured_case*> cases;
  for (const measured_case& c : shown.cases) {
    cases.emplace(c.name, &c);
    by_name_[c.name].emplace(0, std::log(c.time.median_us));
  }
  for (std::size_t i = 0; i < more.size(); ++i)
    for (const measured_case& c : more[i]->cases) {
      const auto like = cases.find(c.name);
      if (like != cases.end() && like->second->time.method == c.time.method &&
          input_hash(*like->second) == input_hash(c))
        by_name_[c.name].emplace(i + 1, std::log(c.time.median_us));
    }
}

process_launches::medians process_launches::of(const measured_case& c) const {
  const auto found = by_name_.find(c.name);
  return found == by_name_.end() ? medians{{0, std::log(c.time.median_us)}} : found->second;
}

effect process_launches::between(const measured_case& from, const measured_case& to) const {
  effect out{&from, &to, {}, 1, {}};
  const medians first = of(from), second = of(to);
  std::vector<double> differences;
  for (const auto& [process, value] : second)
    if (const auto other = first.find(process); other != first.end())
      differences.push_back(value - other->second);
  if (first.size() == 1 || second.size() == 1) {
    out.time = {log_ratio(to.time.median_us, from.time.median_us),
                log_ratio(to.time.ci95_low_us, from.time.ci95_high_us),
                log_ratio(to.time.ci95_high_us, from.time.ci95_low_us)};
  } else {
    out.processes = std::min(first.size(), second.size());
    out.time = gate::paired_shift(differences, limits_.confidence);
    if (!is_bounded(out.time))
      out.time = gate::unpaired_shift(values_of(first), values_of(second), limits_.confidence);
  }
  out.said = judged(out.time, from.time.median_us, out.processes, limits_);
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
