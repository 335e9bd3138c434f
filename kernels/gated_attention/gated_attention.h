#pragma once

#include <array>
#include <cstdint>

#include "kernels/block_pooling/block_pooling.h"
#include "kernels/block_sparse_selection/block_means.h"
#include "kernels/block_sparse_selection/block_sparse_selection.h"
#include "kernels/compression_attention/compression_attention.h"
#include "kernels/gated_attention/patch_order.h"
#include "kernels/selection_attention/selection_attention.h"
#include "kernels/token_merging/token_merging.h"

namespace ablate::gated_attention {

/// A layer of global attention over the tokens of many images (docs/operations/gated_attention.md; Speed3R,
/// supplement, §1.1), forward, by one of five methods, whose answers differ:
///
/// dense: softmax(Q·Kᵀ / √64)·V over all tokens, per head. It is what the sparse one replaces.
///
/// sparse: tokens stand in blocks of b neighbors.
///   1. Pooling: each block becomes one row q̄, k̄, v̄, the mean of its tokens' rows, in bf16 (block_pooling.h,
///      mode post: Q and K are normalized and rotated already).
///   2. Compression: C = softmax(q̄·k̄ᵀ / √64)·v̄, and for each block the `selected` key blocks with the
///      greatest q̄·k̄, ties to the lower one (compression_attention.h).
///   3. Selection: S = attention of the block's queries to all tokens of those blocks, at full resolution
///      (selection_attention.h).
///   4. Gate: O = γ_c · C of the token's block + γ_s · S, with two gates in (0, 1) a token and head.
///   The blocks of the first frame, those that begin in it, compete as all others do, or have a rule of
///   their own (first_frame): forced, they are in no list, and all queries attend to them in step 3; masked,
///   they are in lists and no query attends to them in step 3; dense, the outputs of their queries are those
///   of the dense method, without step 4.
///   In the geometry with special tokens (block_layout.h, vggt) these are in no block; all queries of blocks
///   attend to them in step 3, and the outputs of their own queries are those of the dense method.
///
/// block_sparse, published without training (Block-Sparse attention, arXiv 2509.07120):
///   1. Means of 128 queries and of 64 keys in turn, each in bf16 (block_means.h).
///   2. Per block of queries, the key blocks with the greatest scores of means, as many as the mass of their
///      softmax and their number ask for (block_sparse_selection.h).
///   3. Attention of the block's queries to all tokens of those, and to the special tokens, which are in no
///      block; special tokens attend to all. Where products are of int8, as published, scores are those of
///      q and k in such numbers (int8_rows.h), but for special tokens' queries.
/// Blocks are of tokens as they stand, or in another order of each image's patches (patch_order.h): then q, k
/// and v are moved into it ahead of all, and O and the log-sum-exp back from it.
///
/// merged, published without training (FastVGGT, arXiv 2509.02560): tokens that look alike are merged
/// (token_merging.h, where tokens stand row by row and special ones first), q, k and v by the same partition;
/// what is left attends to what is left; and each token takes the output of the row that it went into.
///
/// pooled_keys, between merging and compression: all tokens attend to the means of the blocks' k and v, in
/// bf16, and to the special tokens as they are.
///
/// The log-sum-exp is that of the scores that are attended to: the selection's, or all where attention is
/// dense; where tokens are merged, it is of the rows that attend.

constexpr int width = 64;  ///< elements of a head
constexpr int most_selected = compression_attention::most_selected;
enum class method { sparse, dense, block_sparse, merged, pooled_keys };
using selection_attention::first_frame;

enum class phase {
  choose,  ///< pooling and lists (or bits, or matches) alone, ahead of a region whose lists are given
  attend
};

struct problem {
  std::int64_t tokens = 0;  ///< whole blocks
  std::int64_t heads = 1;
  std::int64_t heads_of_gates = 0;  ///< where these heads are some of a layer's; 0: `heads`
  int block = 16;                   ///< tokens: 16, 32, 64 or 128
  int selected = 32;                ///< key blocks of a list, at most most_selected
  token_geometry geometry = token_geometry::s3r;
  gated_attention::method method = method::sparse;
  gated_attention::first_frame first_frame = first_frame::competes;  ///< sparse alone
  int mass_percent = 70, kept_percent = 50;  ///< block_sparse alone (block_sparse_selection.h); also
  patch_order order = patch_order::natural;
  bool multiplies_int8 = false;
  token_merging::problem merging;  ///< merged alone: partition, x, and what its steps leave
  bool lists_are_given = false;    ///< not dense: phase choose ran before and left its lists
  /// Not dense: what goes ahead of attention alone: pooling; means and choice; or matches and merging.
  bool stops_ahead = false;
  bool keeps_selected = false;                ///< sparse, first frame competes: S is kept for gradients
  std::int64_t first_query = 0, queries = 0;  ///< dense: only these rows attend; 0 queries: all do
  phase work = phase::attend;

  const std::uint16_t *q = nullptr, *k = nullptr, *v = nullptr;  ///< bf16 [heads][tokens][64]
  const float* gates = nullptr;           ///< [tokens][heads_of_gates][2]: γ_c and γ_s; sparse alone
  std::uint16_t* out = nullptr;           ///< bf16 [heads][tokens][64]
  float* lse = nullptr;                   ///< [heads][tokens]; of merged rows [heads][merging.attending()]
  std::uint16_t* selected_out = nullptr;  ///< as `out`: S; keeps_selected alone

  // What the sparse method's parts hand on.
  /// bf16 [heads][blocks][64]: q̄, k̄, v̄; of block_sparse q̄ of blocks of 128, k̄ of blocks of 64; of pooled_keys
  /// k̄ and v̄, [heads][rows_of_keys()][64].
  std::array<std::uint16_t*, block_pooling::tensors> pooled{};
  std::uint16_t* compressed = nullptr;        ///< bf16 [heads][blocks][64]: C
  float* compressed_lse = nullptr;            ///< [heads][blocks]
  std::int32_t* table = nullptr;              ///< [heads][blocks][selected]: key blocks, ascending, then −1
  std::uint32_t* kept = nullptr;              ///< block_sparse_selection::problem::kept
  std::int32_t* kept_counts = nullptr;        ///< likewise counts
  const std::int32_t* order_table = nullptr;  ///< patches_in_order
  std::array<std::uint16_t*, block_pooling::tensors> ordered{};  ///< as q, k, v, in the order of blocks
  std::uint16_t* ordered_out = nullptr;                          ///< likewise as `out`
  float* ordered_lse = nullptr;                                  ///< likewise as `lse`
  compression_attention::int8_rows int8;
  float *key_sums = nullptr, *key_mean = nullptr;  ///< compression_attention::quantization's
  std::uint16_t* attended = nullptr;  ///< bf16 [heads][merging.attending()][64]: what merged rows leave
  void* scratch = nullptr;            ///< of the choice: scores, where they are written or sorted

  ABLATE_ON_BOTH bool is_sparse() const { return method == method::sparse; }
  /// Whether means of blocks of `block` tokens are attended to.
  bool attends_to_means() const { return is_sparse() || method == method::pooled_keys; }
  ABLATE_ON_BOTH block_layout layout() const { return {geometry, tokens, block}; }
  ABLATE_ON_BOTH std::int64_t blocks() const { return layout().blocks(); }
  ABLATE_ON_BOTH std::int64_t elements() const { return heads * tokens * width; }
  /// What all tokens attend to where keys are pooled: blocks, then special tokens.
  std::int64_t rows_of_keys() const { return blocks() + tokens - layout().patches(); }
  /// Blocks of the first frame, and the tokens in them.
  int blocks_of_frame() const { return layout().blocks_of_first_image(); }
  std::int64_t tokens_of_frame() const {
    const token_span last = layout().span(blocks_of_frame() - 1);
    return last.first + last.count;
  }
  /// Whether a token attends to all, ungated, in the sparse method too.
  bool attends_to_all(std::int64_t token) const {
    return token >= layout().patches() || (first_frame == first_frame::dense && token < tokens_of_frame());
  }
  ABLATE_ON_BOTH std::int64_t attending_tokens() const { return queries > 0 ? queries : tokens; }
};

}  // namespace ablate::gated_attention
