#pragma once

#include <vector>

namespace ablate {

/// What is said of a case's time samples. The unit is that of the samples.
struct summary {
  double median = 0;
  double minimum = 0;
  double mad = 0;       ///< median absolute deviation from the median, unscaled
  double ci95_low = 0;  ///< of the median, from order statistics: no shape of distribution is assumed
  double ci95_high = 0;

  /// Half the width of the interval over the median.
  double relative_half_width() const { return (ci95_high - ci95_low) / 2 / median; }
};

/// Throws std::invalid_argument when there is no sample or one is not finite.
summary summarize(std::vector<double> samples);

}  // namespace ablate
