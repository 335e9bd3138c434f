#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/voxel_mean/voxel_mean.h"

namespace ablate::voxel_mean {

/// What the occupied cells hold, in double precision.
struct exact_sums {
  std::vector<std::int32_t> place;  ///< of each cell among the occupied ones, or −1
  std::vector<std::int32_t> count;  ///< [occupied]
  std::vector<double> sum;          ///< [occupied][features]
  std::vector<double> squares;      ///< [occupied][features]: sum of squares

  /// Of a problem with host pointers.
  explicit exact_sums(const problem&);
};

struct difference {
  std::optional<std::string> first;  ///< cell, what was expected, what was found
  double largest_error = 0;          ///< of a mean, in parts of what is allowed
};

/// Outputs on the host against the sums. Counts are exact. A mean may be off by what additions in single
/// precision in any order do to a sum of features of either sign (accepted_rounding), over the count, and by
/// two roundings of its own: the division's, or of a reciprocal and a product.
difference compared(const problem&, const exact_sums&);

}  // namespace ablate::voxel_mean
