#pragma once

#include <string>
#include <vector>

// clang-format off
/// How far a prediction may be off, from how far others were:
///
///     t' / e^h to t' · e^h      h = q · (2 % + m / 2)
///
/// m is how far the prediction moves: |ln(t' / t)| from chip to chip, the disagreement of two laws from size to size. q is what 90 %
/// of the errors of predictions stay below that were made with their whole operation left out, each operation with the same
/// weight. It is a statement about operations like those; one unlike all of them may miss it more often.
// clang-format on
namespace ablate::predict {

constexpr double coverage = 0.9;

/// 2 % + m / 2
double scale_of(double moved);

/// A prediction that was held against a measurement, made without its operation.
struct held_out_error {
  std::string operation;
  double error = 0;  ///< ln(predicted / measured)
  double moved = 0;
};

/// Of all operations but one. 0 without errors.
double quantile_of(const std::vector<held_out_error>&, const std::string& but = "");

/// A wider one says nothing: the prediction is refused.
extern const double widest;  // ln 1.5

}  // namespace ablate::predict
