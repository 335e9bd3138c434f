#include "reports/gate/exit_code.h"

#include <algorithm>

namespace ablate::gate {

std::size_t judged_cases(const gate_decision& decision) {
  return static_cast<std::size_t>(
      std::count_if(decision.cases.begin(), decision.cases.end(), [](const case_decision& c) {
        return c.can_fail() && c.word != verdict::inconclusive && c.word != verdict::invalid;
      }));
}

int exit_code_of(const gate_decision& decision, gate_failures failures, bool strict) {
  const auto any = [&](verdict word) {
    return std::any_of(decision.cases.begin(), decision.cases.end(),
                       [&](const case_decision& c) { return c.can_fail() && c.word == word; });
  };
  if (failures.wrong > 0) return 3;
  if (decision.invalid_run) return 4;
  if (any(verdict::slower)) return 1;
  if (failures.failed > 0) return 75;
  if (judged_cases(decision) == 0 || any(verdict::invalid)) return 4;
  if (strict && (any(verdict::inconclusive) || failures.missing > 0)) return 4;
  return 0;
}

}  // namespace ablate::gate
