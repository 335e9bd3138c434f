#include "reports/views/speed_up.h"

#include <cmath>

#include "base/record/clocks.h"

namespace ablate::reports {

speed_up speed_up_between(const measured_case& base, const measured_case& other) {
  return {base.time.median_us / other.time.median_us, base.time.ci95_low_us / other.time.ci95_high_us,
          base.time.ci95_high_us / other.time.ci95_low_us, ratio_in_cycles(base, other)};
}

speed_up speed_up_between(const case_launches& launches, const measured_case& base,
                          const measured_case& other) {
  const std::vector<launched_pair> pairs = pairs_of(launches, base, other);
  speed_up out = speed_up_between(*pairs.front().first, *pairs.front().second);
  const gate::launch_ratio over = ratio_over_launches(pairs, shown_confidence);
  if (over.launches > 1) {
    out.ratio = std::exp(-over.estimate);
    out.low = std::exp(-over.high);
    out.high = std::exp(-over.low);
  }
  out.launches = over.launches;
  out.base_moved_pct = launches.moved_pct(base);
  return out;
}

}  // namespace ablate::reports
