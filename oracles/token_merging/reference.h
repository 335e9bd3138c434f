#pragma once

#include <cstdint>
#include <vector>

#include "kernels/token_merging/partition_lists.h"
#include "oracles/token_merging/checked_problem.h"

namespace ablate::token_merging {

/// A product of two rows of x in fp64, and Σ|a·b|.
struct exact_product {
  double value = 0, bound = 0;
  ABLATE_ON_BOTH void add(double a, double b) {
    value += a * b;
    bound += a * b < 0 ? -(a * b) : a * b;
  }
};

/// Roundings of a product's sum in fp32, as a part of its Σ|a·b|.
constexpr double accepted_product_error = 256 * 0x1p-23;

/// Whether a match is right: the product with it beside the greatest, and what was written of it.
ABLATE_ON_BOTH inline bool is_right_match(const exact_product& matched, const exact_product& greatest,
                                          bool is_first_greatest, bool is_exact, double similarity) {
  const double bound = matched.bound > greatest.bound ? matched.bound : greatest.bound;
  const double doubt = is_exact ? 0 : accepted_product_error * bound, off = similarity - matched.value;
  // Equal rows have equal products in any arithmetic.
  const bool is_tie = matched.value == greatest.value && matched.bound == greatest.bound;
  return matched.value >= greatest.value - doubt && (is_first_greatest || !(is_exact || is_tie)) &&
         off <= doubt && -off <= doubt;
}

/// Whether an element of a merged row is right: a mean and that of the absolute values, both exact.
ABLATE_ON_BOTH inline bool is_right_mean(double seen, double mean, double mean_of_absolutes) {
  const double off = seen - mean, size = mean < 0 ? -mean : mean;
  const double accepted = 0x1p-8 * size + 0x1p-18 * mean_of_absolutes;
  return off <= accepted && -off <= accepted;
}

/// The oracle in fp64, from inputs that it makes itself.
struct exact_match {
  std::vector<exact_product> products;  ///< [destinations]
  std::int32_t best;
};
std::vector<exact_match> reference_matches(const checked_problem&, const partition_lists&,
                                           const std::vector<std::int32_t>& sources);
/// [heads][64] of a merged row.
struct exact_mean {
  std::vector<double> mean, mean_of_absolutes;
};
exact_mean reference_merged(const problem&, const partition_lists&, int which, std::int64_t row);
/// The merged row that a token's output is a copy of.
std::int64_t reference_row_of(const problem&, const partition_lists&, std::int64_t token);

}  // namespace ablate::token_merging
