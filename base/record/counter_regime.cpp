#include "base/record/counter_regime.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ablate::reports {
namespace {

constexpr double max_apart = 0.2;

// An empty kernel takes 0.8 us in a graph of many; counters report 1.4 to 3.1 us, events 3.1 to 4.8 us.
// Kernels are profiled one at a time: each further kernel of a stream is up to 1.5 us longer when counted,
// while its time includes the 1.3 to 2.3 us before its start that no counter sees. Many parameters or
// clusters make a launch slightly longer.
constexpr double first_us = 2.5, next_longer_us = 1.5, next_shorter_us = 2.5, launches_apart = 1.25;

}  // namespace

std::optional<double> counted_over_timed(const measured_case& c) {
  const auto counted_ns = c.counters.value("gpu__time_duration.sum");
  if (!counted_ns || !(*counted_ns > 0) || !(c.time.median_us > 0)) return std::nullopt;
  const double counted_us = *counted_ns / 1e3, median_us = c.time.median_us;
  if (std::fabs(counted_us - median_us) <= max_apart * median_us) return std::nullopt;
  const bool is_longer = counted_us > median_us;
  if (!is_longer && c.time.method.starts_with("host_clock")) return std::nullopt;
  const double further = c.kernels.empty() ? 0 : static_cast<double>(c.kernels.size() - 1);
  const double launch_us = c.floors ? c.floors->launch_us.value_or(0) : 0;
  const double explained_us =
      is_longer ? first_us + next_longer_us * further
                : std::max(first_us, launches_apart * launch_us) + next_shorter_us * further;
  if (std::fabs(counted_us - median_us) <= explained_us) return std::nullopt;
  return counted_us / median_us;
}

std::string regime_mark(const measured_case& c) {
  const auto ratio = counted_over_timed(c);
  return ratio ? fmt::format(" § {:.2f}×", *ratio) : "";
}

std::string regime_sign(const measured_case& c) { return counted_over_timed(c) ? " §" : ""; }

}  // namespace ablate::reports
