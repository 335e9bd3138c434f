#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "harness/timing/sampling.h"
#include "harness/timing/statistics.h"

namespace ablate {

/// Why sampling stopped: the median is precise enough, the time is up, or the maximum number of samples is
/// reached.
enum class stop_reason { precision, time, samples };

std::string_view to_string(stop_reason);

/// Whether these samples, taken in `seconds` of sampling, are enough. Never before `minimum_samples`, unless
/// ten times the allotted time has passed (a one-second kernel is not run thirty times).
std::optional<stop_reason> enough(const sampling&, const ordered_samples&, double seconds);
std::optional<stop_reason> enough(const sampling&, const std::vector<double>& samples, double seconds);

}  // namespace ablate
