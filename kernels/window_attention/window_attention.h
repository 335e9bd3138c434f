#pragma once

#include <cstddef>
#include <cstdint>

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
  /// hopper_fixed_max's kernels may begin while the preceding one still runs, for which they wait
  /// themselves (dependent_launch.cuh).
  bool begins_early = false;

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

  void* scratch = nullptr;  ///< scratch_bytes(problem)
  void* moved = nullptr;    ///< moved_rows_bytes(problem)

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

}  // namespace ablate::window_attention
