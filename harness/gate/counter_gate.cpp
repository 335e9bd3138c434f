#include "harness/gate/counter_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/statistics/quantile.h"
#include "base/text/bad_input.h"
#include "harness/counters/metric_groups.h"
#include "harness/gate/launch.h"

namespace ablate::gate {
namespace {

/// The available readings of one counter of one case.
std::vector<double> readings_of(const std::vector<record>& records, const std::string& name,
                                const std::string& counter) {
  std::vector<double> out;
  for (const record& r : records)
    if (const measured_case* c = find_case(r, name))
      if (const auto value = c->counters.value(counter)) out.push_back(*value);
  return out;
}

double percent_between(double from, double to) {
  if (from == to) return 0;
  return from == 0 ? std::numeric_limits<double>::infinity() : 100 * (to / from - 1);
}

double widest_pct(const std::vector<double>& readings) {
  const auto [low, high] = std::minmax_element(readings.begin(), readings.end());
  return percent_between(*low, *high);
}

double width(const std::vector<double>& readings) {
  const auto [low, high] = std::minmax_element(readings.begin(), readings.end());
  return *high - *low;
}

std::optional<double> band_of(const noise_floors* floors, const std::string& name,
                              const std::string& counter) {
  if (!floors) return std::nullopt;
  const auto of_case = floors->counter_bands_pct.find(name);
  if (of_case == floors->counter_bands_pct.end()) return std::nullopt;
  const auto of = of_case->second.find(counter);
  return of == of_case->second.end() ? std::nullopt : std::optional(of->second);
}

/// For a counter that varies only on the candidate.
std::string unsteady_text(const std::vector<double>& a, const std::vector<double>& b) {
  const auto [low, high] = std::minmax_element(b.begin(), b.end());
  return fmt::format("{:.0f} in the baseline's readings, from {:.0f} to {:.0f} in the candidate's", median(a),
                     *low, *high);
}

/// Both sides' readings of one counter of one case.
class compared_counter {
 public:
  compared_counter(const std::string& name, const gate_policy::counter_rule& rule, std::vector<double> a,
                   std::vector<double> b, std::optional<double> band)
      : name_(name), rule_(rule), a_(std::move(a)), b_(std::move(b)), band_(band) {}

  void enter(counter_comparison& to) const {
    using why = uncompared_counter::why;
    if (a_.empty() && b_.empty()) return;
    if (b_.empty()) return leave_out(to, why::gone, "the candidate's could not be read");
    if (a_.empty()) return leave_out(to, why::added, "the baseline's could not be read");
    if (band_ || (is_steady(a_) && (is_steady(b_) || is_clear() || hides_no_rise()))) {
      ++to.compared;
      if (is_changed())
        to.changes.push_back({name_, rule_.counter, median(a_), median(b_), change_pct(), allowed_pct(),
                              median(b_) > median(a_)});
    } else if (is_steady(a_) && !is_within_slack()) {
      leave_out(to, why::unsteady, unsteady_text(a_, b_));
    } else {
      leave_out(to, why::varying,
                std::min(a_.size(), b_.size()) > 1 ? "the baseline's readings differ"
                                                   : "one reading does not show how it varies");
    }
  }

 private:
  static constexpr double steady_share = 0.1, band_margin = 2;

  void leave_out(counter_comparison& to, uncompared_counter::why kind, std::string reason) const {
    to.left_out.push_back({name_, rule_.counter, kind, std::move(reason)});
  }
  bool is_steady(const std::vector<double>& readings) const {
    return readings.size() > 1 && widest_pct(readings) <= steady_share * rule_.tolerance_pct;
  }
  double change_pct() const { return percent_between(median(a_), median(b_)); }
  double allowed_pct() const { return std::max(rule_.tolerance_pct, band_margin * band_.value_or(0)); }
  bool is_changed() const {
    return !(std::fabs(change_pct()) <= allowed_pct()) &&
           !(std::fabs(median(b_) - median(a_)) <= rule_.slack);
  }
  /// The candidate's readings vary little compared with their distance from the baseline's.
  bool is_clear() const {
    return is_changed() && b_.size() > 1 && width(b_) <= steady_share * std::fabs(median(b_) - median(a_));
  }
  /// However the candidate's readings vary, none exceeds the baseline's by more than the tolerance.
  bool hides_no_rise() const {
    return percent_between(*std::min_element(a_.begin(), a_.end()),
                           *std::max_element(b_.begin(), b_.end())) <= rule_.tolerance_pct;
  }
  bool is_within_slack() const {
    std::vector<double> all = a_;
    all.insert(all.end(), b_.begin(), b_.end());
    return width(all) <= rule_.slack;
  }

  const std::string& name_;
  const gate_policy::counter_rule& rule_;
  std::vector<double> a_, b_;
  std::optional<double> band_;
};

std::string first_reason(const std::vector<record>& records) {
  for (const record& r : records)
    for (const measured_case& c : r.cases)
      if (!c.counters.reason.empty()) return c.counters.reason;
  return "the records have none of the policy's counters";
}

}  // namespace

std::string_view name_of(uncompared_counter::why kind) {
  switch (kind) {
    case uncompared_counter::why::varying:
      return "VARYING";
    case uncompared_counter::why::unsteady:
      return "UNSTEADY";
    case uncompared_counter::why::gone:
      return "GONE";
    case uncompared_counter::why::added:
      break;
  }
  return "NEW";
}

std::string counter_groups_of(const gate_policy& policy) {
  std::vector<std::string> groups;
  for (const gate_policy::counter_rule& rule : policy.counters) {
    // The first group that has it: each group is one pass.
    const auto& all = counters().groups;
    const auto group = std::find_if(all.begin(), all.end(), [&](const counter_group& g) {
      const auto held = g.metrics_on(counters().silicon.back());
      return std::find(held.begin(), held.end(), rule.counter) != held.end();
    });
    if (group == all.end())
      throw bad_input(
          "--policy", "/counters",
          fmt::format("expected counters of harness/counters/metric_groups.json, found '{}'", rule.counter));
    if (std::find(groups.begin(), groups.end(), group->name) == groups.end()) groups.push_back(group->name);
  }
  std::string out;
  for (const std::string& group : groups) out += (out.empty() ? "" : ",") + group;
  return out;
}

counter_comparison compare_counters(const std::vector<record>& baseline, const std::vector<record>& candidate,
                                    const std::vector<std::string>& cases, const gate_policy& policy,
                                    const noise_floors* floors) {
  counter_comparison out;
  for (const std::string& name : cases)
    for (const gate_policy::counter_rule& rule : policy.counters)
      compared_counter(name, rule, readings_of(baseline, name, rule.counter),
                       readings_of(candidate, name, rule.counter), band_of(floors, name, rule.counter))
          .enter(out);
  if (out.compared == 0 && out.left_out.empty()) out.why_none = first_reason(candidate);
  return out;
}

std::map<std::string, std::map<std::string, double>> counter_bands(const std::vector<record>& readings,
                                                                   const gate_policy& policy) {
  std::map<std::string, std::map<std::string, double>> out;
  if (readings.empty()) return out;
  for (const measured_case& c : readings.front().cases)
    for (const auto& [counter, tolerance, slack] : policy.counters) {
      const std::vector<double> values = readings_of(readings, c.name, counter);
      // A counter that is sometimes zero has no band in percent and is not gated.
      if (values.size() > 1 && std::isfinite(widest_pct(values))) out[c.name][counter] = widest_pct(values);
    }
  return out;
}

}  // namespace ablate::gate
