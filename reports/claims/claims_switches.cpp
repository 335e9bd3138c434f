#include "reports/claims/claims_switches.h"

#include <algorithm>

namespace ablate {

void give_todays_switches(claim_selection& of, const old_names& table) {
  for (auto& named : of.switches) {
    const auto today = table.todays_choice(of.operation, named);
    if (!today || *today == named) continue;
    const bool is_beside = std::any_of(of.switches.begin(), of.switches.end(), [&](const auto& other) {
      return &other != &named && other.first == today->first;
    });
    if (is_beside) continue;
    tell_todays_names(of.operation + "/" + choice_text(named), choice_text(*today));
    named = *today;
  }
}

}  // namespace ablate
