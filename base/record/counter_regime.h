#pragma once

#include <optional>
#include <string>

#include "base/record/record.h"

namespace ablate::reports {

/// Counters are read in a launch of their own. If that launch ran in another regime than the timed ones (a
/// kernel that spins, kernels that no longer run side by side, data still in L2), its counters do not
/// describe the time. The length of the counted launch over the timed median, where they differ by more than
/// 20 % and by more than launches explain; nothing where they agree, and where no length was counted. What
/// the host's clock takes beyond the kernels is the host's, and no other regime.
std::optional<double> counted_over_timed(const measured_case&);

/// " § 1.33×", or empty: follows every figure derived from such counters.
std::string regime_mark(const measured_case&);
/// The sign alone, where there is no room for the ratio.
std::string regime_sign(const measured_case&);

/// What that means, for the foot of a table or a plot.
inline constexpr const char* about_regime_mark =
    "§ marks counters of a launch whose time differs from the timed ones by more than 20 %, and more than "
    "launches explain, with the ratio: they describe another regime";

}  // namespace ablate::reports
