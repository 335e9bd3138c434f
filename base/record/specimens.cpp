#include "base/record/specimens.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace ablate {
namespace {

constexpr double least_us = 20;

/// The fastest of each calibration on a GPU, over all of its runs.
std::map<std::string, double> calibrations_on(const std::string& specimen, const record& r) {
  std::map<std::string, double> out;
  for (const record::part& part : r.parts) {
    if (part.specimen != specimen) continue;
    for (const auto& [name, us] : part.calibrations) {
      const auto [known, is_new] = out.emplace(name, us);
      if (!is_new) known->second = std::min(known->second, us);
    }
  }
  return out;
}

}  // namespace

std::optional<double> spread_between(const record& r, const measured_case& a, const measured_case& b) {
  if (a.specimen.empty() || b.specimen.empty() || a.specimen == b.specimen) return 0;
  const auto of_a = calibrations_on(a.specimen, r), of_b = calibrations_on(b.specimen, r);
  std::optional<double> out;
  for (const auto& [name, us] : of_a) {
    const auto other = of_b.find(name);
    if (other == of_b.end() || std::min(us, other->second) < least_us) continue;
    const double share = std::max(us, other->second) / std::min(us, other->second) - 1;
    out = std::max(out.value_or(0), share);
  }
  return out;
}

}  // namespace ablate
