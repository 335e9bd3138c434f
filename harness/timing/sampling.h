#pragma once

namespace ablate {

/// When a case has enough samples.
struct sampling {
  int minimum_samples = 30;
  int maximum_samples = 2000;
  double half_width = 0.005;     ///< of the median's 95 % confidence interval, relative to the median
  double maximum_seconds = 0.5;  ///< of sampling, per case
};

}  // namespace ablate
