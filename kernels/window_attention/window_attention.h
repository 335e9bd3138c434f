#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/window_attention/made_inputs.h"

namespace ablate::window_attention {

/// Attention inside windows of a point cloud's tokens (specification: flash3d §2 and §3.5; Flash3D's
/// Bucket-Swin attention and PTv3's serialized attention). A window is `window / bucket` buckets of `bucket`
/// neighboring rows; its tokens attend to each other, without mask: per head, with S = Q·Kᵀ / √width, P =
/// softmax of the rows of S, O = P·V. Outputs stand in the rows of their queries.
///
/// NaN and infinities in Q, K and V reach O and the log-sum-exp as with p = exp(s − m), m the row's maximum,
/// O = Σ p·v / Σ p in fp32: a row with a score of NaN or +∞, or with scores of −∞ alone, is NaN, its
/// log-sum-exp too; a key with the score −∞ has the weight 0. Finite scores, times log2(e), stay below 2^30.

/// The parts of the work, in order. A problem asks for those from `first` to `last`.
enum class phase {
  order,     ///< hopper_sorted: rows sorted into the order of the windows
  attend,    ///< outputs and log-sum-exp
  read_back  ///< for the check: how far they are from plain fp32 attention on the device
};

/// What phase read_back finds: how far the rows of a tensor are from what plain fp32 attention on the device
/// gives. All rows of all heads, windows and batches are compared. Plain attention is computed once a case,
/// by the first read_back (4 FLOPs an element and key in fp32: 1.1 TFLOP, some 0.1 s on an H200, at 131072
/// tokens, windows of 4096 and 512 elements a token), and kept (`problem::reference`); each check after that
/// only reads the tensor and what it should be.
/// The error of a row is ‖row − plain‖ / max(‖plain‖, noise). Noise is the norm that the row would have if
/// its terms had random signs: √Σ (p·‖v‖)². Roundings of P to bf16 are off by shares of it however far the
/// terms cancel, so that rows near zero need no bound of their own. Of the log-sum-exp, a tensor with rows of
/// one element, the error is the difference. A row that has NaN or an infinity where plain attention has
/// another number, or a number where it has one of these, is infinitely far.
struct deviation {
  double squared_errors;               ///< sum over the rows whose error is finite
  unsigned long long rows;             ///< compared
  unsigned long long rows_over;        ///< with a greater error than is accepted
  unsigned long long rows_not_finite;  ///< with an infinite error
  /// The row with the greatest error, the first of those: its error's bits, and the bits of its number in
  /// memory, inverted, behind them.
  unsigned long long greatest;
  struct place {
    float error;
    std::int32_t batch, row, head, element;  ///< the element that is farthest from plain attention's
    float expected, seen;
  } worst;
};
/// Of the outputs and of the log-sum-exp.
struct deviations {
  deviation out, lse;
};

/// Accepted of a row of outputs: P and the output are rounded to bf16, each by up to 2^-8 of itself. Typical
/// is 2.3e-3, the root mean square of both; a row of 16 elements, chosen from millions, is at twice that.
constexpr double accepted_row_error = 0x1p-7;
/// Accepted of the log-sum-exp: sums of P rounded to bf16 are off by up to 2^-8 where one key has it all; and
/// scores of 1000 are off by 1e-4 in fp32.
constexpr double accepted_lse_error = 0x1.2p-8;

/// A row whose outputs the check reads itself.
struct sampled_row {
  std::int32_t batch, row, head;
};
constexpr int most_width = 128;

/// Where the tokens of a window stand in memory.
enum class row_order {
  buckets,     ///< whole buckets, found through the scope table
  contiguous,  ///< windows one after the other: the table says bucket i for i
  scattered    ///< in any rows, found through an index (PTv3: points in input order, windows along a curve)
};

enum class qkv_layout {
  split,  ///< Q, K and V [batches][tokens][heads][width] each
  packed  ///< [batches][tokens][3][heads][width], as one product with the weights leaves them
};

/// Token t of window w stands in row `row_of_token[w · window + t]`; `token_of_row` is the inverse. The same
/// for all batches; [tokens] each.
template <class Integer>
struct row_index {
  const Integer* row_of_token = nullptr;
  const Integer* token_of_row = nullptr;
};

struct problem {
  std::int64_t batches = 1, tokens = 0;  ///< tokens of each batch: whole windows
  std::int64_t heads = 1;
  int width = 64;             ///< of a head: 16, 32, 64 or 128
  std::int64_t window = 512;  ///< tokens
  std::int64_t bucket = 128;  ///< tokens; divides the window, a multiple of 128
  row_order rows = row_order::buckets;
  qkv_layout layout = qkv_layout::split;
  phase first = phase::attend, last = phase::attend;

  made_inputs inputs;  ///< its sizes are the problem's

  const std::uint16_t *q = nullptr, *k = nullptr, *v = nullptr;  ///< bf16; head 0 of token 0 (see qkv_layout)
  /// [tokens / window][window / bucket]: the buckets of each window, in the order of its tokens; each bucket
  /// stands once. The same for all batches. Null: windows follow each other (or `narrow` tells their rows).
  const std::uint32_t* scope = nullptr;
  row_index<std::int64_t> wide;    ///< of scattered rows alone
  row_index<std::int32_t> narrow;  ///< the same
  /// [tokens], of scattered rows alone: the code of each row's point on the curve that the windows follow.
  /// Rows in the order of their keys, equal ones in their own order, are `row_of_token`.
  const std::uint64_t* keys = nullptr;

  std::uint16_t* out = nullptr;  ///< bf16, as q
  float* lse = nullptr;          ///< [batches][heads][tokens]: ln Σ exp of the row's scores

  const sampled_row* samples = nullptr;  ///< [sample_count]
  std::int64_t sample_count = 0;
  deviations* found = nullptr;   ///< [1], by read_back
  float* sampled_out = nullptr;  ///< [sample_count][width], by read_back
  float* sampled_lse = nullptr;  ///< [sample_count], by read_back
  void* reference = nullptr;     ///< reference_bytes(problem), zeros before the first read_back
  void* scratch = nullptr;       ///< scratch_bytes(problem)
  void* moved = nullptr;         ///< moved_rows_bytes(problem)

  std::int64_t windows() const { return window > 0 ? tokens / window : 0; }
  std::int64_t elements() const { return batches * tokens * heads * width; }
  /// Elements from a token's Q (K, V) to the next one's.
  std::int64_t qkv_stride() const { return (layout == qkv_layout::packed ? 3 : 1) * heads * width; }
  bool does(phase p) const { return first <= p && p <= last; }
};

/// Working memory of the hungriest variant, bytes.
std::size_t scratch_bytes(const problem&);

/// Memory of the variants that move rows: none where no variant does.
std::size_t moved_rows_bytes(const problem&);

/// Row of token `t` of window `w`: the same for all batches.
std::int64_t row_of(const problem&, std::int64_t w, std::int64_t t);

/// What plain attention gives, in fp32, in the rows of the problem.
struct plain_outputs {
  unsigned* is_there;  ///< not zero: computed
  float* out;          ///< [batches][tokens][heads][width]
  float* scale;        ///< [batches][tokens][heads]: what errors of a row are divided by (deviation)
  float* lse;          ///< [batches][heads][tokens]
};
plain_outputs cut_reference(const problem&, std::size_t* bytes = nullptr);
std::size_t reference_bytes(const problem&);

/// Window, and token of that window, at a row: the same for all batches.
struct window_place {
  std::int64_t window, token;
};
window_place place_of_row(const problem&, std::int64_t row);

/// An element as the inputs are made, of token `at` in this row of its batch.
double made_value(const problem&, tensor of, const token_place& at, std::int64_t row, int element);

/// The oracle: fp64 attention of one query, from the inputs as they are made (made_inputs.h); its output
/// [width], the log-sum-exp of its scores and what errors are divided by (deviation).
struct exact_row {
  std::array<double, most_width> out;
  double lse, scale;
};
exact_row reference_row(const problem&, const sampled_row&);

}  // namespace ablate::window_attention
