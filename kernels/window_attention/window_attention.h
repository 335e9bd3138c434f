#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/common/bias.h"
#include "kernels/window_attention/made_inputs.h"

namespace ablate::window_attention {

/// Attention within windows of a point cloud's tokens (docs/operations/window_attention.md; Flash3D's
/// Bucket-Swin attention and PTv3's serialized attention). A window consists of `window / bucket` buckets of
/// `bucket` neighboring rows each; its tokens attend to each other, unmasked: per head, S = Q·Kᵀ / √width, P
/// = row-wise softmax of S, O = P·V. Each output is stored in its query's row.
///
/// NaN and infinities in Q, K and V propagate to O and the log-sum-exp as in p = exp(s − m), m the row's
/// maximum, O = Σ p·v / Σ p in fp32: a row with a score of NaN or +∞, or whose scores are all −∞, is NaN, and
/// so is its log-sum-exp; a key whose score is −∞ has weight 0. Finite scores, times log2(e), stay below
/// 2^30.

/// The phases of the work, in order. A problem runs those from `first` to `last`.
enum class phase {
  order,  ///< hopper_sorted: sorts rows into window order
  attend  ///< outputs and log-sum-exp
};

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
constexpr int most_width = 128;

/// How the tokens of a window are laid out in memory.
enum class row_order {
  buckets,     ///< whole buckets, looked up in the scope table
  contiguous,  ///< consecutive windows: the table maps bucket i to i
  scattered    ///< arbitrary rows, looked up in an index (PTv3: points in input order, windows along a curve)
};

enum class qkv_layout {
  split,  ///< Q, K and V are each [batches][tokens][heads][width]
  packed  ///< [batches][tokens][3][heads][width], the output of a fused QKV projection
};

/// Token t of window w is in row `row_of_token[w · window + t]`; `token_of_row` is the inverse. Shared by all
/// batches; [tokens] each.
template <class Integer>
struct row_index {
  const Integer* row_of_token = nullptr;
  const Integer* token_of_row = nullptr;
};

struct problem {
  std::int64_t batches = 1, tokens = 0;  ///< tokens per batch: whole windows
  std::int64_t heads = 1;
  int width = 64;             ///< head dimension: 16, 32, 64 or 128
  std::int64_t window = 512;  ///< tokens
  std::int64_t bucket = 128;  ///< tokens; divides the window, a multiple of 128
  row_order rows = row_order::buckets;
  qkv_layout layout = qkv_layout::split;
  phase first = phase::attend, last = phase::attend;
  /// hopper_first_tile's kernels may begin while the one in front of each still runs, for which they wait
  /// themselves (dependent_launch.cuh).
  bool begins_early = false;

  made_inputs inputs;  ///< its sizes match the problem's

  const std::uint16_t *q = nullptr, *k = nullptr, *v = nullptr;  ///< bf16; head 0 of token 0 (see qkv_layout)
  /// [tokens / window][window / bucket]: each window's buckets, in token order; every bucket occurs once.
  /// Shared by all batches. Null: windows are consecutive (or `narrow` gives their rows).
  const std::uint32_t* scope = nullptr;
  row_index<std::int64_t> wide;    ///< scattered rows only
  row_index<std::int32_t> narrow;  ///< the same
  /// [tokens], scattered rows only: the code of each row's point on the curve that the windows follow. A
  /// stable sort of the rows by key gives `row_of_token`.
  const std::uint64_t* keys = nullptr;

  std::uint16_t* out = nullptr;  ///< bf16, as q
  float* lse = nullptr;          ///< [batches][heads][tokens]: ln Σ exp of each row's scores

  const sampled_row* samples = nullptr;  ///< [sample_count]
  std::int64_t sample_count = 0;
  deviations* found = nullptr;   ///< [1], written by the comparison
  float* sampled_out = nullptr;  ///< [sample_count][width], written by the comparison
  float* sampled_lse = nullptr;  ///< [sample_count], written by the comparison
  void* reference = nullptr;     ///< reference_bytes(problem), zeros before the first comparison
  void* scratch = nullptr;       ///< scratch_bytes(problem)
  void* moved = nullptr;         ///< moved_rows_bytes(problem)

  std::int64_t windows() const { return window > 0 ? tokens / window : 0; }
  std::int64_t elements() const { return batches * tokens * heads * width; }
  /// Elements from one token's Q (K, V) to the next token's.
  std::int64_t qkv_stride() const { return (layout == qkv_layout::packed ? 3 : 1) * heads * width; }
  bool does(phase p) const { return first <= p && p <= last; }
};

/// Bytes of working memory for the variant that needs the most.
std::size_t scratch_bytes(const problem&);

/// Bytes needed by the variants that move rows: 0 where no variant does.
std::size_t moved_rows_bytes(const problem&);

/// Row of token `t` of window `w`; shared by all batches.
std::int64_t row_of(const problem&, std::int64_t w, std::int64_t t);

/// The results of plain fp32 attention, in the problem's row order.
struct plain_outputs {
  unsigned* is_there;  ///< nonzero once computed
  float* out;          ///< [batches][tokens][heads][width]
  float* scale;        ///< [batches][tokens][heads]: the divisor of each row's error (deviation)
  float* lse;          ///< [batches][heads][tokens]
};
plain_outputs cut_reference(const problem&, std::size_t* bytes = nullptr);
std::size_t reference_bytes(const problem&);

/// The window that a row belongs to and its token there; shared by all batches.
struct window_place {
  std::int64_t window, token;
};
window_place place_of_row(const problem&, std::int64_t row);

/// The generated input element of token `at`, in this row of its batch.
double made_value(const problem&, tensor of, const token_place& at, std::int64_t row, int element);

/// The oracle: fp64 attention of one query, computed from the generated inputs (made_inputs.h): its output
/// [width], the log-sum-exp of its scores and the divisor of its error (deviation).
struct exact_row {
  std::array<double, most_width> out;
  double lse, scale;
};
exact_row reference_row(const problem&, const sampled_row&);

}  // namespace ablate::window_attention
