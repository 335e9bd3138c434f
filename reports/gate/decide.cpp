#include "reports/gate/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/statistics/holm.h"
#include "base/statistics/quantile.h"

namespace ablate::gate {
namespace {

constexpr shift nothing_known = {0, -unbounded, unbounded};

bool are_times(const std::vector<paired_time>& pairs) {
  for (const paired_time& pair : pairs)
    if (!(pair.baseline_us > 0 && pair.candidate_us > 0 && std::isfinite(pair.baseline_us) &&
          std::isfinite(pair.candidate_us)))
      return false;
  return true;
}

/// Why these pairs support no verdict; empty when they do.
std::string why_invalid(const taken_pairs& taken) {
  if (!taken.unfit.empty()) return taken.unfit;
  if (!are_times(taken.pairs)) return "a time is not a positive number";
  return "";
}

/// Sets the times and the ratio from the pairs; the limit follows from the baseline's time.
void look_at(const taken_pairs& taken, const gated_case& of, const gate_policy& policy, case_decision& to) {
  std::vector<double> baseline, candidate;
  for (const paired_time& pair : taken.pairs) {
    baseline.push_back(pair.baseline_us);
    candidate.push_back(pair.candidate_us);
  }
  to.baseline_us = median(baseline);
  to.candidate_us = median(candidate);
  to.pairs = taken.pairs.size();
  to.ratio = crossover_shift(log_ratios(taken.pairs), policy.confirm.interval_confidence);
  to.limit = limit_of(policy, to.baseline_us, of.floor_pct);
}

void make_invalid(case_decision& to, const std::string& why) {
  to.word = verdict::invalid;
  to.reason = why;
}

case_decision screened(const gated_case& of, const taken_pairs& taken, const gate_policy& policy) {
  case_decision out{
      of.name, of.is_control, verdict::same, "",          limit_of(policy, 0, of.floor_pct), 0, 0,
      0,       nothing_known, std::nullopt,  std::nullopt};
  if (const std::string why = why_invalid(taken); !why.empty()) {
    make_invalid(out, why);
    return out;
  }
  if (taken.pairs.empty()) {
    out.word = verdict::inconclusive;
    out.reason = taken.cut_short.empty() ? "no pair was measured" : taken.cut_short;
    return out;
  }
  look_at(taken, of, policy, out);
  const bool is_beyond = std::fabs(out.ratio.estimate) > policy.screen.flag_share_of_delta * out.limit.delta;
  out.screened = screening{out.pairs, out.ratio, is_beyond && out.can_fail()};
  if (out.limit.too_noisy) {
    out.word = verdict::inconclusive;
    out.reason = why_too_noisy(policy, *of.floor_pct);
  } else if (out.pairs < policy.screen.pairs && !out.screened->flagged) {
    out.word = verdict::inconclusive;
    out.reason = fmt::format("screened with {} of {} pairs: {}", out.pairs, policy.screen.pairs,
                             taken.cut_short.empty() ? "no more were measured" : taken.cut_short);
  }
  return out;
}

/// One-sided p-values of "slower by more than the part of delta to exclude" and of "faster".
struct p_values {
  double slower, faster;
};

p_values p_of(const taken_pairs& taken, const effect_limit& limit, const gate_policy& policy) {
  const double excluded = policy.confirm.bound_share_of_delta * limit.delta;
  const ordered_pairs differences = log_ratios(taken.pairs);
  return {crossover_p_above(differences, excluded), crossover_p_below(differences, -excluded)};
}

void judge(const taken_pairs& taken, p_values p, const gate_policy& policy, case_decision& to) {
  const double level = policy.confirm.level;
  to.word = verdict_of(to.ratio, to.limit.delta, policy.confirm.bound_share_of_delta * to.limit.delta,
                       {p.slower <= level, p.faster <= level});
  to.p = to.ratio.estimate > 0 ? p.slower : p.faster;
  to.reason = "";
  if (to.word == verdict::inconclusive)
    to.reason = fmt::format("{} pairs cannot tell an effect from none", to.pairs);
  if (to.pairs < policy.confirm.pairs && (to.word == verdict::same || to.word == verdict::inconclusive)) {
    to.word = verdict::inconclusive;
    to.reason = fmt::format("confirmed with {} of {} pairs: {}", to.pairs, policy.confirm.pairs,
                            taken.cut_short.empty() ? "no more were measured" : taken.cut_short);
  }
}

/// The cases being confirmed and the controls, with the pairs taken for each.
class confirmation {
 public:
  confirmation(const std::vector<gated_case>& cases, const gate_policy& policy,
               std::vector<case_decision>& decisions, std::vector<std::size_t> flagged)
      : cases_(cases),
        policy_(policy),
        decisions_(decisions),
        flagged_(std::move(flagged)),
        taken_(cases.size()) {}

  void add(const std::vector<std::size_t>& places, std::vector<taken_pairs> more) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      taken_pairs& to = taken_[places[i]];
      to.pairs.insert(to.pairs.end(), more.at(i).pairs.begin(), more[i].pairs.end());
      if (to.unfit.empty()) to.unfit = more[i].unfit;
      if (to.cut_short.empty()) to.cut_short = more[i].cut_short;
    }
  }

  void judge_flagged() {
    std::vector<std::size_t> family;
    for (std::size_t place : flagged_)
      if (look(place)) family.push_back(place);
    std::vector<double> slower, faster;
    for (std::size_t place : family) {
      const p_values p = p_of(taken_[place], decisions_[place].limit, policy_);
      slower.push_back(p.slower);
      faster.push_back(p.faster);
    }
    slower = holm_adjusted(slower);
    faster = holm_adjusted(faster);
    for (std::size_t i = 0; i < family.size(); ++i)
      judge(taken_[family[i]], {slower[i], faster[i]}, policy_, decisions_[family[i]]);
  }

  /// A control is not a finding, so it is not part of the family.
  void judge_control(std::size_t place) {
    if (look(place))
      judge(taken_[place], p_of(taken_[place], decisions_[place].limit, policy_), policy_, decisions_[place]);
  }

 private:
  /// False if the pairs support no verdict; the decision says why.
  bool look(std::size_t place) {
    case_decision& to = decisions_[place];
    const taken_pairs& taken = taken_[place];
    if (const std::string why = why_invalid(taken); !why.empty()) {
      make_invalid(to, why);
      return false;
    }
    if (taken.pairs.empty()) {
      to.word = verdict::inconclusive;
      to.reason = taken.cut_short.empty() ? "flagged, but no pair confirmed it"
                                          : "flagged, but not confirmed: " + taken.cut_short;
      return false;
    }
    look_at(taken, cases_[place], policy_, to);
    return true;
  }

  const std::vector<gated_case>& cases_;
  const gate_policy& policy_;
  std::vector<case_decision>& decisions_;
  std::vector<std::size_t> flagged_;
  std::vector<taken_pairs> taken_;
};

}  // namespace

ordered_pairs log_ratios(const std::vector<paired_time>& pairs) {
  ordered_pairs out;
  for (const paired_time& pair : pairs)
    (pair.baseline_first ? out.baseline_first : out.candidate_first)
        .push_back(std::log(pair.candidate_us / pair.baseline_us));
  return out;
}

bool case_decision::is_suspect() const {
  if (!can_fail() || word != verdict::inconclusive || pairs == 0) return false;
  if (screened && screened->flagged) return screened->ratio.estimate > 0 || ratio.estimate > 0;
  return ratio.estimate > limit.delta;
}

gate_decision decide(const std::vector<gated_case>& cases, const gate_policy& policy,
                     const take_pairs& take) {
  gate_decision out;
  std::vector<std::size_t> all(cases.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<taken_pairs> first = take(phase::screen, all, policy.screen.pairs);
  std::vector<std::size_t> flagged, controls;
  for (std::size_t i : all) {
    out.cases.push_back(screened(cases[i], first.at(i), policy));
    const case_decision& made = out.cases.back();
    if (made.screened && made.screened->flagged) flagged.push_back(i);
    if (made.is_control && made.screened && !made.limit.too_noisy) controls.push_back(i);
  }
  out.flagged = flagged.size();

  if (!flagged.empty()) {
    confirmation of(cases, policy, out.cases, flagged);
    std::vector<std::size_t> places = flagged;
    places.insert(places.end(), controls.begin(), controls.end());
    of.add(places, take(phase::confirm, places, policy.confirm.pairs));
    of.judge_flagged();

    std::vector<std::size_t> open;
    for (std::size_t i : flagged)
      if (out.cases[i].word == verdict::inconclusive && out.cases[i].pairs == policy.confirm.pairs)
        open.push_back(i);
    if (!open.empty() && policy.confirm.extra_pairs > 0) {
      open.insert(open.end(), controls.begin(), controls.end());
      of.add(open, take(phase::extend, open, policy.confirm.extra_pairs));
      of.judge_flagged();
    }
    for (std::size_t i : controls) of.judge_control(i);
  }
  out.invalid_run = why_run_is_invalid(out.cases, policy);
  return out;
}

std::optional<std::string> why_run_is_invalid(const std::vector<case_decision>& cases,
                                              const gate_policy& policy) {
  for (const case_decision& c : cases)
    if (c.is_control && (c.word == verdict::slower || c.word == verdict::faster))
      return fmt::format("the control {} changed by {:+.2f} %, and no change of the code can touch it",
                         c.name, percent_of_log(c.ratio.estimate));
  // What differs from one process to the next, as the placement of buffers does, shifts all cases of a pair
  // at once: only what all pairs agree on is of the run.
  std::vector<double> effects;
  for (const case_decision& c : cases)
    if (!c.is_control && c.screened) {
      const shift& found = c.screened->ratio;
      effects.push_back(found.low > 0 || found.high < 0 ? found.estimate : 0);
    }
  return why_all_moved(effects, policy);
}

std::optional<std::string> why_all_moved(const std::vector<double>& effects, const gate_policy& policy) {
  const gate_policy::whole_run_rules& rules = policy.whole_run;
  if (effects.size() < rules.minimum_cases) return std::nullopt;
  const double slower = log_of_percent(rules.shift_pct), faster = -slower;
  std::size_t up = 0, down = 0;
  for (double effect : effects) {
    up += effect > slower;
    down += effect < faster;
  }
  if (static_cast<double>(std::max(up, down)) < rules.share * static_cast<double>(effects.size()))
    return std::nullopt;
  return fmt::format("{} of {} cases are {} by more than {:g} %: the environment is suspect",
                     std::max(up, down), effects.size(), up > down ? "slower" : "faster", rules.shift_pct);
}

std::optional<std::string> why_findings_are_suspect(const std::vector<std::vector<double>>& runs,
                                                    const gate_policy& policy) {
  const std::size_t newest = policy.whole_run.same_sign_runs;
  if (runs.size() < newest) return std::nullopt;
  std::size_t up = 0, all = 0;
  for (std::size_t run = runs.size() - newest; run < runs.size(); ++run)
    for (const double effect : runs[run]) {
      up += effect > 0;
      ++all;
    }
  if (up != 0 && up != all) return std::nullopt;
  return fmt::format("all findings of the last {} runs with any are {}: the environment is suspect", newest,
                     up == 0 ? "FASTER" : "SLOWER");
}

}  // namespace ablate::gate
