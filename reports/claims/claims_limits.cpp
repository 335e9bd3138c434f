#include "reports/claims/claims_limits.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/record/identity.h"

namespace ablate {

double claim_limits::least_effect_pct(const record& r, const measured_case& c, std::size_t launches) const {
  double out = launches > 1 ? minimum_pct : one_launch_pct;
  const std::string begin = c.operation + "/", end = "/@" + c.cache_state;
  for (const gate::noise_floors& machine : floors) {
    if (machine.fingerprint != history::device_fingerprint(r)) continue;
    for (const auto& [name, floor] : machine.cases)
      if (name.starts_with(begin) && name.ends_with(end)) out = std::max(out, floor.floor_pct);
  }
  return out;
}

claim_limits limits_of_claims(const gate::gate_policy& policy, std::vector<gate::noise_floors> floors) {
  return {policy.delta.minimum_pct, policy.compare.one_launch_delta_pct, policy.compare.interval_confidence,
          std::move(floors)};
}

}  // namespace ablate
