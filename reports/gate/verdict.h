#pragma once

#include <string_view>

#include "reports/gate/shift.h"

namespace ablate::gate {

/// The verdict on a candidate's time relative to the baseline's.
enum class verdict { faster, same, slower, inconclusive, invalid };

/// FASTER, SAME, SLOWER, INCONCLUSIVE, INVALID.
std::string_view name_of(verdict);

/// Whether the data rule out a negligible effect, in either direction.
struct exclusion {
  bool slower, faster;
};

/// The gate's rule for a log shift and the smallest effect `delta` that counts (above zero): SLOWER if the
/// estimate is above delta and the exclusion holds, FASTER by symmetry, INCONCLUSIVE if the estimate is
/// beyond `half` (a fraction of delta) and the interval extends beyond delta, otherwise SAME.
verdict verdict_of(const shift&, double delta, double half, exclusion);

/// From an interval: slower if all of it is above `bound`, faster if all of it is below -bound.
exclusion excluded_by(const shift&, double bound);

/// The rule where a side has a single launch: launches differ by more than the samples of one reveal, so no
/// verdict is certain up to a wider `delta`. SLOWER if the estimate is above delta and the interval excludes
/// `half`, FASTER by symmetry, SAME if the estimate is not beyond `smallest` (the delta of several launches),
/// otherwise INCONCLUSIVE.
verdict verdict_of_one_launch(const shift&, double delta, double half, double smallest);

}  // namespace ablate::gate
