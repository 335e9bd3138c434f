#include "base/record/clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ablate::reports {

std::optional<double> sm_clock_mhz(const measured_case& c) {
  if (c.time.clock) return c.time.clock->sm_mhz;
  return c.device_state ? c.device_state->timed_sm_clock_mhz : std::nullopt;
}

bool are_unlike(double a_mhz, double b_mhz) {
  return !(std::fabs(a_mhz - b_mhz) <= 0.01 * std::min(a_mhz, b_mhz));
}

std::optional<double> ratio_in_cycles(const measured_case& over, const measured_case& of) {
  const auto a = sm_clock_mhz(over), b = sm_clock_mhz(of);
  if (!a || !b || !(*a > 0 && *b > 0) || !are_unlike(*a, *b)) return std::nullopt;
  return over.time.median_us * *a / (of.time.median_us * *b);
}

std::string cycles_mark(const std::optional<double>& in_cycles) {
  return in_cycles ? fmt::format(" ‡ {:.2f} in cycles", *in_cycles) : "";
}

}  // namespace ablate::reports
