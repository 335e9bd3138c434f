#pragma once

#include <array>
#include <cstdint>

#include "kernels/block_pooling/block_pooling.h"
#include "kernels/compression_attention/compression_attention.h"
#include "kernels/global_attention/global_attention.h"
#include "kernels/selection_attention/selection_attention.h"

namespace ablate::gated_attention {

/// A layer of global attention over the tokens of many images (docs/operations/gated_attention.md; Speed3R,
/// supplement, §1.1), forward. Tokens are in blocks of b neighbors.
///   1. Pooling: each block becomes one row q̄, k̄, v̄, the mean of its tokens' rows, in bf16 (block_pooling.h,
///      mode post: Q and K are normalized and rotated already).
///   2. Compression: C = softmax(q̄·k̄ᵀ / √64)·v̄, and for each block the `selected` key blocks with the
///      greatest q̄·k̄, ties to the lower one (compression_attention.h).
///   3. Selection: S = attention of the block's queries to all tokens of those blocks, at full resolution
///      (selection_attention.h).
///   4. Gate: O = γ_c · C of the token's block + γ_s · S, with two gates in (0, 1) a token and head.
/// The blocks of the first frame, those that begin in it, compete as all others do, or have a rule of
/// their own (first_frame): forced, they are in no list, and all queries attend to them in step 3; masked,
/// they are in lists and no query attends to them in step 3; dense, the outputs of their queries are those
/// of dense_attention, without step 4.
/// In the geometry with special tokens (block_layout.h, vggt) these are in no block; all queries of blocks
/// attend to them in step 3, and the outputs of their own queries are those of dense_attention.
///
/// The log-sum-exp is that of the selection, or of all scores where a row attends to all.

using global_attention::phase;
using global_attention::width;
using selection_attention::first_frame;

constexpr int max_selected = compression_attention::max_selected;

struct problem : global_attention::prepared_layer {
  std::int64_t heads_of_gates = 0;  ///< where these heads are some of a layer's; 0: `heads`
  int selected = 32;                ///< key blocks of a list, at most max_selected
  gated_attention::first_frame first_frame = first_frame::competes;
  bool keeps_selected = false;  ///< where the first frame competes: S is kept for gradients

  const float* gates = nullptr;           ///< [tokens][heads_of_gates][2]: γ_c and γ_s
  std::uint16_t* selected_out = nullptr;  ///< as `out`: S; keeps_selected alone

  // What the parts hand on.
  std::array<std::uint16_t*, block_pooling::tensors> pooled{};  ///< bf16 [heads][blocks][64]: q̄, k̄, v̄
  std::uint16_t* compressed = nullptr;                          ///< bf16 [heads][blocks][64]: C
  float* compressed_lse = nullptr;                              ///< [heads][blocks]
  std::int32_t* table = nullptr;  ///< [heads][blocks][selected]: key blocks, ascending, then −1
  void* scratch = nullptr;        ///< of the choice: scores, where they are written

  /// Blocks of the first frame, and the tokens in them.
  int blocks_of_frame() const { return layout().blocks_of_first_image(); }
  std::int64_t tokens_of_frame() const {
    const token_span last = layout().span(blocks_of_frame() - 1);
    return last.first + last.count;
  }
  /// Whether a token attends to all, ungated.
  bool attends_to_all(std::int64_t token) const {
    return token >= layout().patches() || (first_frame == first_frame::dense && token < tokens_of_frame());
  }
};

}  // namespace ablate::gated_attention
