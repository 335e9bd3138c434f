#include "reports/views/over_launches.h"

#include <algorithm>
#include <cmath>

namespace ablate::reports {

record over_launches(const record& first, const case_launches& launches) {
  record out = first;
  if (launches.count() == 1) return out;
  for (measured_case& c : out.cases) {
    std::vector<gate::launched_ratio> times;
    double least_us = c.time.min_us;
    for (const launched_case& launched : launches.of(c)) {
      times.push_back({launched.gpu, std::log(launched.of->time.median_us), log_error(*launched.of)});
      least_us = std::min(least_us, launched.of->time.min_us);
    }
    if (times.size() == 1) continue;
    const gate::launch_ratio over = gate::ratio_over_launches(times, shown_confidence);
    const double median_us = std::exp(over.estimate);
    if (c.floors)
      for (std::optional<double>* over : {&c.floors->time_over_floor, &c.floors->time_over_model})
        if (*over) **over *= median_us / c.time.median_us;
    c.time.median_us = median_us;
    c.time.min_us = std::min(least_us, median_us);
    c.time.ci95_low_us = std::exp(over.low);
    c.time.ci95_high_us = std::exp(over.high);
  }
  return out;
}

}  // namespace ablate::reports
