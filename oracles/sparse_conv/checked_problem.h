#pragma once

#include <cstdint>
#include <vector>

#include "kernels/common/bias.h"
#include "kernels/sparse_conv/sparse_conv.h"

// A convolution with what its comparison needs besides, and the oracle in fp64.

namespace ablate::sparse_conv {

/// What the check compares, in this order.
enum result { y_rows, x_gradient_rows, weight_gradient_rows, bias_gradient_row, results };

/// By how much an element may be off: what sums in fp32 are off by, and the rounding to bf16, if it is
/// rounded. `noise`: the Euclidean norm of the products that it is the sum of. Their sums in tensor cores,
/// whose additions truncate, are off by at most 2^-23 of a partial sum for each of up to 900 steps, so 2^-13;
/// one product of 27 · 512 that is missing is 2^-7 of the noise.
constexpr double accepted_of_noise = 0x1p-12, accepted_of_bf16 = 0x1.02p-8;
ABLATE_ON_BOTH constexpr bool is_bf16(int of) { return of == y_rows || of == x_gradient_rows; }
ABLATE_ON_BOTH constexpr double tolerance_of(bool rounds, double expected, double noise) {
  const double magnitude = expected < 0 ? -expected : expected;
  return accepted_of_noise * noise + (rounds ? accepted_of_bf16 * magnitude : 0);
}

/// What is expected of an element, and its tolerance.
struct expectation {
  float value, tolerance;
};

/// How far a result's elements are off, in what is accepted.
struct deviation {
  unsigned long long elements;  ///< compared
  unsigned long long over;      ///< with an error above 1, or NaN
  /// The greatest error's bits above the inverted index of its element, the first on ties.
  unsigned long long greatest;
  float expected, seen;   ///< of that element
  double squared_errors;  ///< of those that are finite
  signed_errors signs;    ///< an element a unit
};

/// A row that the check reads directly, of a result: of Y and dX a row; of dW out channel · offsets + q.
struct sampled_row {
  std::int32_t of, row;
};

struct checked_problem : problem {
  expectation* expected = nullptr;       ///< [elements of all results], kept from the first comparison on
  std::uint32_t* is_kept = nullptr;      ///< [1], 0 before
  const sampled_row* samples = nullptr;  ///< [sample_count]
  std::int64_t sample_count = 0;
  deviation* found = nullptr;    ///< [results], by the comparison
  float* sampled_out = nullptr;  ///< [sample_count][row_length], by the comparison

  bool computes(int of) const {
    return of == y_rows            ? forward
           : of == x_gradient_rows ? input_gradient
                                   : weight_gradient && (of == weight_gradient_rows || has_bias);
  }
  /// The results as matrices: rows that are compared, and elements of each.
  ABLATE_ON_BOTH std::int64_t rows_of(int of) const {
    return of == weight_gradient_rows ? static_cast<std::int64_t>(out_channels) * offsets()
           : of == bias_gradient_row  ? 1
                                      : rows;
  }
  ABLATE_ON_BOTH int length_of(int of) const {
    return of == y_rows || of == bias_gradient_row ? out_channels : in_channels;
  }
  std::int64_t elements_of(int of) const { return computes(of) ? rows_of(of) * length_of(of) : 0; }
};

/// The oracle: a row of a result in fp64, and what its elements may be off by; from host pointers, by the
/// lists and not by the table.
struct exact_row {
  std::vector<double> out, tolerance;
};
exact_row reference_row(const checked_problem&, const sampled_row&);

}  // namespace ablate::sparse_conv
