#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/common/bias.h"
#include "kernels/voxel_mean/voxel_mean.h"

namespace ablate::voxel_mean {

/// Contents of the occupied cells, in double precision.
struct exact_sums {
  std::vector<std::int32_t> place;  ///< [cells]: index among the occupied cells, or −1
  std::vector<std::int32_t> count;  ///< [occupied]
  std::vector<double> sum;          ///< [occupied][features]
  std::vector<double> squares;      ///< [occupied][features]: sum of squares

  /// Takes a problem with host pointers.
  explicit exact_sums(const problem&);
};

struct difference {
  std::optional<std::string> first;  ///< cell, expected, found
  double largest_error = 0;          ///< of a mean, as a fraction of the accepted error
  /// Of means, an occupied cell a unit; a feature's size is its root mean square, since values cancel.
  signed_errors signs{};
};

/// Compares outputs on the host with the sums. Counts are exact. The accepted error of a mean is that of
/// single-precision additions in any order, with features of either sign (accepted_rounding), divided by the
/// count, plus two roundings of the mean itself: the division's, or a reciprocal's and a product's.
difference compared(const problem&, const exact_sums&);

}  // namespace ablate::voxel_mean
