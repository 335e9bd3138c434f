#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/common/bias.h"
#include "kernels/common/on_both.h"

namespace ablate::dense_layers {

/// The check's findings in a tensor: it compares every element with plain fp64 arithmetic on the
/// device. An element's error is in units of what is accepted there: more than 1 is wrong. It is infinite
/// where one of the two is no number and the other is.
struct comparison {
  double squared_errors;             ///< Σ (seen − expected)² over finite elements
  double squares;                    ///< Σ expected² over these; of a judged_sum, size²
  unsigned long long elements;       ///< compared
  unsigned long long elements_over;  ///< with an error above 1
  unsigned long long not_finite;     ///< with an infinite error
  /// The element with the greatest error, the first on ties, of at most 2^32: the bits of its error above the
  /// inverted bits of its number in memory.
  unsigned long long greatest;
  struct place {
    float error;
    std::int32_t column;
    std::int64_t row;
    float expected, seen;
  } worst;
  /// Of finite elements, an element a unit. Where the terms of one cancel, it counts by what is accepted
  /// there.
  signed_errors signs;

  /// ‖seen − expected‖ / ‖expected‖
  double relative_error() const { return squares > 0 ? std::sqrt(squared_errors / squares) : 0; }
};

/// Accepted ‖seen − expected‖ / ‖expected‖ of a tensor (docs/operations/linear.md, "Check"): values are
/// rounded to bf16 up to twice, 1.6e-3 each; gradients more often.
constexpr double accepted_of_outputs = 4e-3, accepted_of_gradients = 1e-2;

/// In the size of an element, by which its signed error counts, this many times what is accepted of it are
/// the least: of terms that cancel, what remains is not what their errors are a part of. Where one rounding
/// counts alone, that is a sixteenth of the element.
constexpr double least_of_accepted = 16;

/// What is right for an element, and by how much it may be off.
struct judged {
  double expected, tolerance;
};

/// Half the distance between neighboring bf16 numbers at x: what one rounding may change. Of tiny numbers,
/// that of 2^-100.
ABLATE_ON_BOTH inline double bf16_rounding(double x) {
  constexpr double least = 0x1p-100;
  const double size = x < 0 ? -x : x;
  const double at_least = size > least ? size : least;
  std::uint64_t bits;
  memcpy(&bits, &at_least, sizeof bits);
  bits &= 0x7ff0000000000000ull;  // the power of two below it
  double power;
  memcpy(&power, &bits, sizeof power);
  return power * 0x1p-8;
}

}  // namespace ablate::dense_layers
