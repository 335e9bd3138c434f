#include "reports/gate/verdict.h"

#include <cmath>

namespace ablate::gate {

std::string_view name_of(verdict v) {
  switch (v) {
    case verdict::faster:
      return "FASTER";
    case verdict::same:
      return "SAME";
    case verdict::slower:
      return "SLOWER";
    case verdict::inconclusive:
      return "INCONCLUSIVE";
    case verdict::invalid:
      break;
  }
  return "INVALID";
}

verdict verdict_of(const shift& ratio, double delta, double half, exclusion excluded) {
  if (ratio.estimate > delta && excluded.slower) return verdict::slower;
  if (ratio.estimate < -delta && excluded.faster) return verdict::faster;
  if (ratio.estimate > half && ratio.high > delta) return verdict::inconclusive;
  if (ratio.estimate < -half && ratio.low < -delta) return verdict::inconclusive;
  return verdict::same;
}

exclusion excluded_by(const shift& ratio, double bound) { return {ratio.low > bound, ratio.high < -bound}; }

verdict verdict_of_one_launch(const shift& ratio, double delta, double half, double smallest) {
  const exclusion excluded = excluded_by(ratio, half);
  if (ratio.estimate > delta && excluded.slower) return verdict::slower;
  if (ratio.estimate < -delta && excluded.faster) return verdict::faster;
  return std::fabs(ratio.estimate) <= smallest ? verdict::same : verdict::inconclusive;
}

}  // namespace ablate::gate
