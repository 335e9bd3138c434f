#pragma once

#include <optional>
#include <string>

#include "base/record/record.h"

namespace ablate::reports {

/// The SM clock that a case was timed at: over its samples, or else right after the last one; nothing where
/// the record tells neither.
std::optional<double> sm_clock_mhz(const measured_case&);

/// Whether two clocks are so far apart, by more than 1 %, that a ratio of times mixes them in.
bool are_unlike(double a_mhz, double b_mhz);

/// Time × clock of `over` by that of `of`, but only where their clocks are unlike: the ratio of times then
/// says something of the clocks, too.
std::optional<double> ratio_in_cycles(const measured_case& over, const measured_case& of);

/// " ‡ 1.02 in cycles", or nothing.
std::string cycles_mark(const std::optional<double>& in_cycles);
/// What that means; in a picture, where the ratio has no room beside it, the sign alone and this.
inline constexpr const char* about_clock_sign = "‡ SM clocks more than 1 % apart";
inline constexpr const char* about_cycles_mark =
    "‡ marks two times taken at SM clocks more than 1 % apart, with the ratio in "
    "cycles (time × clock) beside it";

}  // namespace ablate::reports
