#include "reports/claims/claims_names.h"

#include <algorithm>

namespace ablate {

void give_todays_names(claim_selection& of, const old_names& table) {
  for (std::string& variant : of.variants) {
    const std::string today = table.todays_variant(of.operation, variant, {});
    if (today == variant) continue;
    print_todays_names(of.operation + "/" + variant, today);
    variant = today;
  }
  for (auto& named : of.switches) {
    const auto today = table.todays_choice(of.operation, named);
    if (!today || *today == named) continue;
    const bool is_beside = std::any_of(of.switches.begin(), of.switches.end(), [&](const auto& other) {
      return &other != &named && other.first == today->first;
    });
    if (is_beside) continue;
    print_todays_names(of.operation + "/" + choice_text(named), choice_text(*today));
    named = *today;
  }
}

}  // namespace ablate
