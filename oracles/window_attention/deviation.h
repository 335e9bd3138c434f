#pragma once

#include <cstdint>

#include "kernels/common/bias.h"

// How far an attention's rows are from what they should be, and which rows the check reads itself.

namespace ablate::window_attention {

/// What the comparison reports: how far a tensor's rows are from the result of plain fp32 attention on the
/// device. It compares all rows of all heads, windows and batches. The first comparison of a case computes
/// plain attention (4 FLOPs per element and key in fp32: 1.1 TFLOP, some 0.1 s on an H200, at 131072 tokens,
/// windows of 4096 and 512 elements per token) and keeps it (`problem::reference`); later checks only read
/// the tensor and its expected values.
/// The error of a row is ‖row − plain‖ / max(‖plain‖, noise). Noise is the norm the row would have if its
/// terms had random signs: √Σ (p·‖v‖)². Rounding P to bf16 causes errors proportional to it however much the
/// terms cancel, so rows near zero need no bound of their own. For the log-sum-exp, a tensor whose rows have
/// one element, the error is the difference. A row has an infinite error if it holds NaN or an infinity where
/// plain attention has a different value, or a number where plain attention has NaN or an infinity.
struct deviation {
  double squared_errors;               ///< sum over rows with a finite error
  unsigned long long rows;             ///< compared
  unsigned long long rows_over;        ///< with an error above the accepted one
  unsigned long long rows_not_finite;  ///< with an infinite error
  /// The row with the greatest error, the first on ties: the bits of its error above the inverted bits of its
  /// row number in memory.
  unsigned long long greatest;
  struct place {
    float error;
    std::int32_t batch, row, head, element;  ///< the element farthest from plain attention
    float expected, seen;
  } worst;
  /// Of finite elements, a row a unit, in parts of what its error is divided by: each row counts alike. Of
  /// log-sum-exps both figures are the mean difference.
  signed_errors signs;
};
/// For the outputs and for the log-sum-exp.
struct deviations {
  deviation out, lse;
};

/// Accepted error of an output row: P and the output are rounded to bf16, each by up to 2^-8 of itself.
/// 2.3e-3, the root mean square of both, is typical; the worst of millions of rows of 16 elements reaches
/// twice that.
constexpr double accepted_row_error = 0x1p-7;
/// Accepted error of the log-sum-exp: sums of P rounded to bf16 are off by up to 2^-8 where one key has all
/// the weight; and scores of 1000 are off by 1e-4 in fp32.
constexpr double accepted_lse_error = 0x1.2p-8;

/// A row whose outputs the check reads directly.
struct sampled_row {
  std::int32_t batch, row, head;
};

}  // namespace ablate::window_attention
