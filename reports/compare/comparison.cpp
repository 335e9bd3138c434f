#include "reports/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/record/facts.h"
#include "base/record/input_marks.h"
#include "base/statistics/quantile.h"
#include "base/text/bad_input.h"
#include "reports/compare/agreement.h"
#include "reports/gate/environment.h"
#include "reports/gate/exit_code.h"

namespace ablate::compare {
namespace {

using reports::input_hash;
using launches = std::vector<const measured_case*>;
/// By case id, one entry for each record that measured it.
using measured_cases = std::map<std::string, launches>;

measured_cases cases_of(const std::vector<record>& side) {
  measured_cases out;
  for (const record& r : side)
    for (const measured_case& c : r.cases) out[c.name].push_back(&c);
  return out;
}

/// The id without its cache state.
std::string stem_of(const std::string& name) { return name.substr(0, name.rfind("/@")); }

struct matched {
  std::string baseline_name, candidate_name;
  launches baseline, candidate;
};

/// Removes what matches from both. Cases with different cache states match only if that is allowed and each
/// side has exactly one left over.
std::vector<matched> take_matches(measured_cases& baseline, measured_cases& candidate, disagreements& found) {
  std::vector<matched> out;
  for (auto a = baseline.begin(); a != baseline.end();) {
    const auto b = candidate.find(a->first);
    if (b == candidate.end()) {
      ++a;
      continue;
    }
    out.push_back({a->first, b->first, a->second, b->second});
    candidate.erase(b);
    a = baseline.erase(a);
  }
  std::map<std::string, std::vector<std::string>> left_a, left_b;
  for (const auto& [name, cases] : baseline) left_a[stem_of(name)].push_back(name);
  for (const auto& [name, cases] : candidate) left_b[stem_of(name)].push_back(name);
  for (const auto& [stem, names] : left_a) {
    const auto other = left_b.find(stem);
    if (other == left_b.end() || names.size() != 1 || other->second.size() != 1) continue;
    const std::string &a = names.front(), &b = other->second.front();
    found.add(agreement::cache_state, fmt::format("the cache states differ: {} and {}", a, b));
    if (!found.allows(agreement::cache_state)) continue;
    out.push_back({a, b, baseline.at(a), candidate.at(b)});
    baseline.erase(a);
    candidate.erase(b);
  }
  return out;
}

/// Whether a record's cases were measured on several GPUs, so that its context names none.
bool is_of_several(const std::vector<record>& side) {
  return std::any_of(side.begin(), side.end(), [](const record& r) { return !r.parts.empty(); });
}

void compare_specimens(const matched& m, disagreements& found) {
  const std::string& first = m.baseline.front()->specimen;
  for (const launches* side : {&m.baseline, &m.candidate})
    for (const measured_case* c : *side)
      if (!first.empty() && !c->specimen.empty() && c->specimen != first)
        found.add(agreement::specimen, fmt::format("two specimens of the device measured {}: {} and {}",
                                                   c->name, first, c->specimen));
}

void compare_measuring(const matched& m, bool seeds_differ, disagreements& found) {
  const measured_case& first = *m.baseline.front();
  for (const launches* side : {&m.baseline, &m.candidate})
    for (const measured_case* c : *side) {
      if (c->time.method != first.time.method)
        found.add(agreement::method, fmt::format("the sampling methods of {} are {} and {}", c->name,
                                                 first.time.method, c->time.method));
      // A different seed intentionally gives a different input.
      if (!seeds_differ && input_hash(*c) != input_hash(first))
        found.add(agreement::workload,
                  fmt::format("the inputs of {} are {} and {}", c->name, input_hash(first), input_hash(*c)));
    }
}

std::vector<double> logarithms(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

std::vector<double> samples_of(const measured_case& c) {
  return c.time.samples_us.empty() || c.time.samples_per_block ? std::vector{c.time.median_us}
                                                               : c.time.samples_us;
}

std::vector<double> medians_of(const launches& side) {
  std::vector<double> out;
  for (const measured_case* c : side) out.push_back(c->time.median_us);
  return out;
}

/// State recorded right after the case: a single snapshot, so the SM clock, which changes within
/// milliseconds, is no reason to distrust it.
gate::launch_environment environment_of(const measured_case& c) {
  gate::launch_environment out;
  if (!c.device_state || !c.device_state->after) return out;
  out.memory_clock_mhz = c.device_state->after->memory_clock_mhz;
  out.event_reasons = c.device_state->after->reasons();
  return out;
}

std::optional<std::string> why_unfit(const matched& m, const gate::gate_policy& policy) {
  for (const measured_case* a : m.baseline)
    for (const measured_case* b : m.candidate)
      if (auto why = gate::why_broken(environment_of(*a), environment_of(*b), policy)) return why;
  return std::nullopt;
}

/// Floors are for medians of several launches, so they do not lower that of a single launch.
gate::effect_limit one_launch_limit(const gate::gate_policy& policy, double baseline_us,
                                    std::optional<double> floor_pct) {
  const double pct = baseline_us < policy.compare.short_below_us ? policy.compare.one_launch_short_delta_pct
                                                                 : policy.compare.one_launch_delta_pct;
  gate::effect_limit out = gate::limit_of(policy, baseline_us, floor_pct);
  out.delta_pct = std::max(out.delta_pct, pct);
  out.delta = gate::log_of_percent(out.delta_pct);
  return out;
}

void judge_one_launch(gate::case_decision& to, const gate::gate_policy& policy,
                      std::optional<double> floor_pct) {
  to.word = gate::verdict_of_one_launch(to.ratio, to.limit.delta,
                                        policy.confirm.bound_share_of_delta * to.limit.delta,
                                        gate::limit_of(policy, to.baseline_us, floor_pct).delta);
  if (to.word == gate::verdict::inconclusive)
    to.reason = std::isfinite(to.ratio.low) ? "within what single launches may differ by"
                                            : "too few samples for this confidence";
}

void judge_launches(gate::case_decision& to, const gate::gate_policy& policy) {
  const double excluded = policy.confirm.bound_share_of_delta * to.limit.delta;
  to.word = gate::verdict_of(to.ratio, to.limit.delta, excluded, gate::excluded_by(to.ratio, excluded));
  if (to.word == gate::verdict::inconclusive)
    to.reason = std::isfinite(to.ratio.low)
                    ? "the interval of these launches cannot tell an effect from none"
                    : fmt::format("{} launches a side are too few for this confidence", to.pairs);
}

compared_case compared(const matched& m, bool one_launch, const gate::gate_policy& policy,
                       const gate::noise_floors* floors) {
  const std::vector<double> first = one_launch ? samples_of(*m.baseline.front()) : medians_of(m.baseline);
  const std::vector<double> second = one_launch ? samples_of(*m.candidate.front()) : medians_of(m.candidate);
  compared_case out{
      {}, m.candidate_name, first.size(), second.size(), reports::input_mark(*m.baseline.front())};
  gate::case_decision& to = out.decision;
  to.name = m.baseline_name;
  to.is_control = m.baseline.front()->ceiling.has_value();
  to.word = gate::verdict::same;
  to.baseline_us = gate::median(medians_of(m.baseline));
  to.candidate_us = gate::median(medians_of(m.candidate));
  to.pairs = std::min(m.baseline.size(), m.candidate.size());
  to.ratio = gate::unpaired_shift(logarithms(first), logarithms(second), policy.compare.interval_confidence);
  const auto floor_pct = floors ? floors->floor_pct(m.baseline_name) : std::nullopt;
  to.limit = one_launch ? one_launch_limit(policy, to.baseline_us, floor_pct)
                        : gate::limit_of(policy, to.baseline_us, floor_pct);
  if (const auto why = why_unfit(m, policy)) {
    to.word = gate::verdict::invalid;
    to.reason = *why;
  } else if (to.limit.too_noisy) {
    to.word = gate::verdict::inconclusive;
    to.reason = gate::why_too_noisy(policy, *floor_pct);
  } else if (one_launch) {
    judge_one_launch(to, policy, floor_pct);
  } else {
    judge_launches(to, policy);
  }
  return out;
}

/// Without the cases that were allowed to match a differently named one of the candidate.
std::vector<gate::unmatched_case> unmatched_of(const record_comparison& made) {
  std::set<std::string> matched;
  for (const compared_case& c : made.cases)
    if (c.decision.name != c.candidate_name) matched.insert({c.decision.name, c.candidate_name});
  auto out = gate::unmatched_cases(gate::measured_side(made.baseline), gate::measured_side(made.candidate));
  std::erase_if(out, [&](const gate::unmatched_case& c) { return matched.contains(c.name); });
  return out;
}

/// A case that only the candidate failed to complete is its failure; memory may be too small for both.
void count_failures(record_comparison& to) {
  std::set<std::string> wrong, failed;
  const gate::measured_side baseline(to.baseline);
  for (const record& r : to.candidate)
    for (const unmeasured_case& c : r.unmeasured)
      if (c.status == "wrong")
        wrong.insert(c.name);
      else if (gate::is_failure(c.status) && baseline.measured(c.name))
        failed.insert(c.name);
  to.wrong = wrong.size();
  to.failed = failed.size();
}

gate::gate_decision decision_of(const record_comparison& made) {
  gate::gate_decision out;
  for (const compared_case& c : made.cases) out.cases.push_back(c.decision);
  out.invalid_run = made.invalid_run;
  return out;
}

gate::gate_failures failures_of(const record_comparison& made) {
  std::vector<std::string> decided;
  for (const compared_case& c : made.cases) decided.push_back(c.decision.name);
  return {made.wrong, made.failed, gate::gone_cases(made.unmatched),
          gate::unjudged_cases(made.unmatched, decided), gate::missing_cases(made.unmatched)};
}

/// A calibration is a separate kernel, so it serves as a control.
std::optional<std::string> why_invalid(const record_comparison& made, const gate::gate_policy& policy) {
  std::vector<gate::case_decision> decisions;
  std::vector<double> effects;
  for (const compared_case& c : made.cases) {
    decisions.push_back(c.decision);
    if (!c.decision.is_control) effects.push_back(c.decision.ratio.estimate);
  }
  if (auto why = gate::why_run_is_invalid(decisions, policy)) return why;
  gate::gate_policy allowing = policy;
  // One launch may be shifted as a whole against another; that is what the wider delta is for.
  if (made.one_launch)
    allowing.whole_run.shift_pct = std::max(policy.whole_run.shift_pct, policy.compare.one_launch_delta_pct);
  return gate::why_all_moved(effects, allowing);
}

}  // namespace

record_comparison compare_records(std::vector<record> baseline, std::vector<record> candidate,
                                  const gate::gate_policy& policy, const std::set<agreement>& allowed,
                                  const gate::noise_floors* floors) {
  if (baseline.empty() || candidate.empty())
    throw bad_input("compare", "", "expected at least one record a side");
  record_comparison out{};
  out.policy = policy.name;
  out.pass = {policy.compare.minimum_judged_share, policy.pass.otherwise_exit_code};
  out.one_launch = baseline.size() == 1 && candidate.size() == 1;
  if (!out.one_launch && (baseline.size() == 1 || candidate.size() == 1))
    throw bad_input((baseline.size() == 1 ? baseline : candidate).front().path.string(), "",
                    "expected one record on both sides or several on both");
  check_side(baseline);
  check_side(candidate);
  out.baseline = std::move(baseline);
  out.candidate = std::move(candidate);
  const std::string file = out.candidate.front().path.string();

  disagreements found(allowed);
  compare_contexts(out.baseline.front(), out.candidate.front(), found);
  measured_cases left_a = cases_of(out.baseline), left_b = cases_of(out.candidate);
  const std::vector<matched> matches = take_matches(left_a, left_b, found);
  const bool seeds_differ = out.baseline.front().seed != out.candidate.front().seed;
  for (const matched& m : matches) compare_measuring(m, seeds_differ, found);
  if (is_of_several(out.baseline) || is_of_several(out.candidate))
    for (const matched& m : matches) compare_specimens(m, found);
  found.refuse(file);
  if (matches.empty())
    throw bad_input(
        file, "/benchmarks",
        "expected a case that the baseline has too, found none of its " + std::to_string(left_a.size()));

  for (const matched& m : matches) out.cases.push_back(compared(m, out.one_launch, policy, floors));
  std::stable_sort(out.cases.begin(), out.cases.end(), [](const compared_case& a, const compared_case& b) {
    return a.decision.ratio.estimate > b.decision.ratio.estimate;
  });
  out.unmatched = unmatched_of(out);
  count_failures(out);
  out.notes = notes_of(out.baseline.front(), out.candidate.front());
  if (!out.baseline.front().on_gpu)
    out.notes.push_back("These are host references: they say nothing about GPU kernels.");
  for (std::string& note : found.notes()) out.notes.push_back(std::move(note));
  if (floors) {
    std::vector<std::string> names;
    for (const compared_case& c : out.cases) names.push_back(c.decision.name);
    for (std::string& note : gate::check_floors(*floors, out.baseline.front(), policy, names))
      out.notes.push_back(std::move(note));
  }
  out.invalid_run = why_invalid(out, policy);
  if (out.invalid_run && found.allows(agreement::environment)) {
    out.notes.push_back("Allowed: " + *out.invalid_run + ".");
    out.invalid_run.reset();
  }
  return out;
}

std::optional<std::string> why_open(const record_comparison& made) {
  const bool is_told = made.wrong > 0 || made.failed > 0 || made.invalid_run ||
                       std::any_of(made.cases.begin(), made.cases.end(), [](const compared_case& c) {
                         return c.decision.can_fail() && c.decision.word == gate::verdict::slower;
                       });
  if (is_told) return std::nullopt;
  return gate::why_open(decision_of(made), made.pass, failures_of(made));
}

int exit_code_of(const record_comparison& made, bool strict) {
  const gate::gate_decision decision = decision_of(made);
  return gate::exit_code_of(decision, made.pass, failures_of(made), strict);
}

}  // namespace ablate::compare
