#include "reports/gate/exit_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"

namespace ablate::gate {
namespace {

/// Too noisy ones too: they are cases of the suite about which the gate says nothing.
std::size_t cases_to_judge(const gate_decision& decision, const gate_failures& failures) {
  return failures.unjudged +
         static_cast<std::size_t>(std::count_if(decision.cases.begin(), decision.cases.end(),
                                                [](const case_decision& c) { return !c.is_control; }));
}

}  // namespace

std::size_t judged_cases(const gate_decision& decision) {
  return static_cast<std::size_t>(
      std::count_if(decision.cases.begin(), decision.cases.end(), [](const case_decision& c) {
        return c.can_fail() && c.word != verdict::inconclusive && c.word != verdict::invalid;
      }));
}

std::optional<std::string> why_open(const gate_decision& decision, const gate_policy::pass_rules& rules,
                                    const gate_failures& failures) {
  std::vector<std::string> reasons;
  std::vector<const case_decision*> suspects;
  for (const case_decision& c : decision.cases)
    if (c.is_suspect()) suspects.push_back(&c);
  if (!suspects.empty())
    reasons.push_back(fmt::format("{} looked slower and {} not settled: {} by {:+.3g} %{}",
                                  suspects.size() == 1 ? "1 case" : fmt::format("{} cases", suspects.size()),
                                  suspects.size() == 1 ? "is" : "are", suspects.front()->name,
                                  percent_of_log(suspects.front()->ratio.estimate),
                                  suspects.size() == 1 ? "" : ", …"));
  if (failures.gone > 0)
    reasons.push_back(fmt::format("{} of the baseline {} no longer compared",
                                  failures.gone == 1 ? "1 case" : fmt::format("{} cases", failures.gone),
                                  failures.gone == 1 ? "is" : "are"));
  const std::size_t judged = judged_cases(decision), all = cases_to_judge(decision, failures);
  if (static_cast<double>(judged) < rules.minimum_judged_share * static_cast<double>(all))
    reasons.push_back(fmt::format("{} of {} cases were judged, and a pass needs {:g} %", judged, all,
                                  100 * rules.minimum_judged_share));
  if (reasons.empty()) return std::nullopt;
  return reports::joined(reasons, "; ");
}

int exit_code_of(const gate_decision& decision, const gate_policy::pass_rules& rules,
                 const gate_failures& failures, bool strict) {
  constexpr int inconclusive = 4;
  const auto any = [&](verdict word) {
    return std::any_of(decision.cases.begin(), decision.cases.end(),
                       [&](const case_decision& c) { return c.can_fail() && c.word == word; });
  };
  if (failures.wrong > 0) return 3;
  if (decision.invalid_run) return inconclusive;
  if (any(verdict::slower)) return 1;
  if (failures.failed > 0) return 75;
  if (judged_cases(decision) == 0 || any(verdict::invalid)) return inconclusive;
  if (why_open(decision, rules, failures)) return rules.otherwise_exit_code;
  if (strict && (any(verdict::inconclusive) || failures.missing > 0)) return inconclusive;
  return 0;
}

}  // namespace ablate::gate
