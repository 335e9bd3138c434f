#include "harness/counters/counter_support.h"

#include <algorithm>

namespace ablate {

std::optional<std::string> why_no_counters(std::span<const support_answer> answers) {
  const auto forbids = [](const support_answer& a) {
    return a.level == support_level::unsupported || a.level == support_level::disabled;
  };
  const auto found = std::ranges::find_if(answers, forbids);
  if (found == answers.end()) return std::nullopt;
  return std::string("CUPTI reads no counters ") + found->where;
}

}  // namespace ablate
