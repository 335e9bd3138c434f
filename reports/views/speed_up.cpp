#include "reports/views/speed_up.h"

#include <algorithm>
#include <vector>

#include "base/record/clocks.h"
#include "base/statistics/quantile.h"

namespace ablate::reports {

speed_up speed_up_between(const measured_case& base, const measured_case& other) {
  return {base.time.median_us / other.time.median_us, base.time.ci95_low_us / other.time.ci95_high_us,
          base.time.ci95_high_us / other.time.ci95_low_us, ratio_in_cycles(base, other)};
}

speed_up speed_up_between(const case_launches& launches, const measured_case& base,
                          const measured_case& other) {
  speed_up out = speed_up_between(base, other);
  const std::vector<launched_pair> pairs = pairs_of(launches, base, other);
  std::vector<double> ratios;
  for (const launched_pair& pair : pairs) {
    const speed_up here = speed_up_between(*pair.first, *pair.second);
    ratios.push_back(here.ratio);
    out.low = std::min(out.low, here.low);
    out.high = std::max(out.high, here.high);
  }
  out.ratio = gate::median(ratios);
  out.launches = pairs.size();
  out.base_moved_pct = launches.moved_pct(base);
  return out;
}

}  // namespace ablate::reports
