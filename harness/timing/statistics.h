#pragma once

#include <vector>

namespace ablate {

/// Summary statistics of a case's time samples, in the samples' unit.
struct summary {
  double median = 0;
  double minimum = 0;
  double mad = 0;       ///< median absolute deviation from the median, unscaled
  double ci95_low = 0;  ///< of the median, from order statistics: distribution-free
  double ci95_high = 0;

  /// Half the interval's width, relative to the median.
  double relative_half_width() const { return (ci95_high - ci95_low) / 2 / median; }
};

/// Throws std::invalid_argument if there are no samples or one is not finite.
summary summarize(std::vector<double> samples);

}  // namespace ablate
