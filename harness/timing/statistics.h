#pragma once

#include <cstddef>
#include <span>
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

/// Samples in the order of their size, to which more come. Whether they are enough is asked after each few,
/// and to sort all of two thousand each time would take a tenth as long as taking them.
class ordered_samples {
 public:
  ordered_samples() = default;
  explicit ordered_samples(std::span<const double> samples) { add(samples); }

  /// Throws std::invalid_argument if one is not finite.
  void add(std::span<const double> samples);
  std::size_t size() const { return ordered_.size(); }
  /// That of their `summary`, to the bit. There must be one at least.
  double relative_half_width() const;

 private:
  std::vector<double> ordered_;
};

}  // namespace ablate
