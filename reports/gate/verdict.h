#pragma once

#include <string_view>

#include "reports/gate/shift.h"

namespace ablate::gate {

/// What is said of a candidate's time beside the baseline's.
enum class verdict { faster, same, slower, inconclusive, invalid };

/// FASTER, SAME, SLOWER, INCONCLUSIVE, INVALID.
std::string_view name_of(verdict);

/// Whether the data exclude that the effect is nothing worth speaking of, in either direction.
struct exclusion {
  bool slower, faster;
};

/// The rule of the gate for a shift of logarithms and the smallest effect `delta` that counts (above zero):
/// SLOWER where the estimate is above delta and the exclusion holds, FASTER by symmetry, INCONCLUSIVE where
/// the estimate is beyond `half` (a part of delta) and the interval reaches beyond delta, otherwise SAME.
verdict verdict_of(const shift&, double delta, double half, exclusion);

/// By an interval: slower where all of it is above `bound`, faster where all of it is below -bound.
exclusion excluded_by(const shift&, double bound);

/// The rule where a side has one launch: launches differ by more than the samples of one tell, so up to a
/// wider `delta` no word is sure. SLOWER where the estimate is above delta and the interval excludes `half`,
/// FASTER by symmetry, SAME where the estimate is not beyond `smallest` (the delta of several launches),
/// otherwise INCONCLUSIVE.
verdict verdict_of_one_launch(const shift&, double delta, double half, double smallest);

}  // namespace ablate::gate
