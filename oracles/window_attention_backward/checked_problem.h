#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/common/on_both.h"
#include "kernels/window_attention_backward/window_attention_backward.h"
#include "oracles/window_attention/checked_problem.h"

namespace ablate::window_attention_backward {

/// What the comparison reports for dQ, dK and dV: window_attention::deviation, with plain fp32 gradients
/// computed on the device instead of plain attention (30 FLOPs per element and key, once per case) and the
/// terms of each gradient instead of P·V's: noise is c·√Σ (dS·‖k‖)² for dQ, c·√Σ (dS·‖q‖)² for dK, √Σ
/// (P·‖dO‖)² for dV. To a row's divisor is added, over accepted_row_error, what rounding dS or P to bf16
/// takes from the row by itself: factors that are alike round alike, which does not average out, and where
/// the terms cancel it is more than a share of the row. Where a factor is at a tie, fp32 arithmetic in
/// another order rounds it to the other side, and with it all that are like it, as a short window's rows of
/// padding: what counts is the greater of both sides. Rows near zero are compared with the tensor: dS is P
/// times a difference of two numbers, which may be zero here and rounding there, as where all of a window's
/// values are alike. An error is divided by least_of_tensor of the typical row's divisor at least.
struct deviations {
  window_attention::deviation of[3];
};

/// Accepted error of a gradient row: dS or P, and the gradient, are rounded to bf16. 2.5e-3 is typical.
constexpr double accepted_row_error = 1e-2;

/// What a row's error is divided by at least, by the rows' divisors and their number: a share of the root
/// mean square.
constexpr double least_of_tensor = 0x1p-8;
ABLATE_ON_BOTH inline double least_scale(double squares, std::int64_t rows) {
  return least_of_tensor * sqrt(squares / static_cast<double>(rows));
}

/// What the comparison needs beside the gradients' problem.
struct checked_gradients {
  window_attention::generated_inputs inputs = {};  ///< its sizes match the problem's

  /// [batches][heads][tokens]: row sums of dO∘O, by what makes the inputs; variants
  /// compute their own.
  float* plain_delta = nullptr;

  /// [2 · sample_count]: rows whose dQ the check reads directly, then rows of one window and head whose dK
  /// and dV it reads.
  const window_attention::sampled_row* samples = nullptr;
  std::int64_t sample_count = 0;
  deviations* found = nullptr;         ///< [1], written by the comparison
  float* sampled_gradients = nullptr;  ///< [3][sample_count][width]: dQ, dK, dV, written by the comparison
  void* reference = nullptr;           ///< reference_bytes(problem), zeros before the first comparison
};

struct checked_problem : problem, checked_gradients {};

/// The attention of the problem, as its inputs are made.
inline window_attention::checked_problem generated_attention_of(const checked_problem& p) {
  window_attention::checked_problem made{p.attention};
  made.inputs = p.inputs;
  return made;
}

/// The gradients of plain fp32 attention, in the problem's row order: dQ, dK and dV.
struct plain_gradients {
  unsigned* is_there;  ///< nonzero once computed
  float* of[3];        ///< [batches][tokens][heads][width]
  float* scale[3];     ///< [batches][tokens][heads]: the divisor of each row's error
};
plain_gradients cut_reference(const checked_problem&, std::size_t* bytes = nullptr);
std::size_t reference_bytes(const problem&);

}  // namespace ablate::window_attention_backward
