#pragma once

#include <cstdint>

#include "kernels/common/block_layout.h"
#include "kernels/common/on_both.h"

namespace ablate::selection_attention {

/// The selection branch of gated sparse attention (docs/operations/selection_attention.md; Speed3R,
/// supplement, §1.1): tokens are in blocks of b neighbors, and the queries of a block attend to the tokens of
/// k key blocks alone, those of its list, at full resolution: per head, with S = Q·Kᵀ / √64, P = softmax of
/// the rows of S, O = P·V. Each (head, query block) has a list of its own, as a top-k leaves it.
///
/// Entries outside of 0 … blocks − 1 (−1: no block) are skipped wherever they are. A query without keys,
/// or whose scores all are −∞, has O = 0 and a log-sum-exp of −∞. Other NaN and infinities reach O and the
/// log-sum-exp as they do in window_attention.h.
///
/// The blocks of the first frame can have a rule of their own (first_frame below).
///
/// In the geometry with special tokens (block_layout.h, vggt) all queries of blocks attend to those as well,
/// after their lists; special queries attend to all tokens, ungated, by another kernel: their rows are left
/// out here.
///
/// Where it is gated, O becomes γ_c · C + γ_s · O with the row C that attention to compressed blocks left for
/// the query's block, and two gates a token and head. The log-sum-exp is that of S all the same.

constexpr int width = 64;  ///< elements of a head
constexpr int tile = 16;   ///< tokens that a tensor product takes at once; divides a block
constexpr int max_selected = 64;

/// Entries that are not of lists: at most the blocks of a frame.
constexpr int max_forced = 64, max_entries = max_forced + max_selected;

/// What becomes of the first frame, the first blocks of a head.
enum class first_frame {
  competes,  ///< as all others
  forced,    ///< all queries attend to its blocks, ahead of those of their lists, which do not name them
  masked,    ///< no query attends to its blocks; entries that name them are skipped
  dense      ///< its queries are left out here: they attend to all tokens, ungated, by another kernel
};

struct problem {
  std::int64_t tokens = 0;  ///< whole blocks
  std::int64_t heads = 1;
  int block = 16;     ///< tokens: 16, 32, 64 or 128
  int selected = 32;  ///< entries of a list, at most 64
  bool is_gated = false;
  bool keeps_ungated = false;  ///< gated, by `direct` and `staged`: gradients need these rows
  token_geometry geometry = token_geometry::s3r;
  selection_attention::first_frame first_frame = first_frame::competes;
  int blocks_of_frame = 0;  ///< unless the first frame competes; where it is forced, at most max_forced
  /// first_frame::forced: attention to its blocks is there already, in `out` and `lse`, by another kernel;
  /// what lists name is put beside it.
  bool forced_is_there = false;

  const std::uint16_t *q = nullptr, *k = nullptr, *v = nullptr;  ///< bf16 [heads][tokens][64]
  const std::int32_t* table = nullptr;        ///< [heads][tokens / block][selected]: key blocks
  const std::uint16_t* compressed = nullptr;  ///< bf16 [heads][tokens / block][64]; gated alone
  const float* gates = nullptr;               ///< [tokens][heads_of_gates][2]: γ_c and γ_s; gated alone
  std::int64_t heads_of_gates = 0;            ///< where these heads are some of a layer's; 0: `heads`
  std::uint16_t* out = nullptr;               ///< bf16 [heads][tokens][64]
  std::uint16_t* ungated = nullptr;           ///< as `out`: rows before the gate; keeps_ungated alone
  float* lse = nullptr;                       ///< [heads][tokens]: ln Σ exp of the row's scores

  ABLATE_ON_BOTH block_layout layout() const { return {geometry, tokens, block}; }
  ABLATE_ON_BOTH std::int64_t blocks() const { return layout().blocks(); }
  ABLATE_ON_BOTH std::int64_t elements() const { return heads * tokens * width; }
  /// Blocks that all attend to, ahead of their lists; the lowest that an entry may name; and, of queries,
  /// those that attend to all.
  ABLATE_ON_BOTH int forced_blocks() const {
    return first_frame == first_frame::forced ? blocks_of_frame : 0;
  }
  ABLATE_ON_BOTH int lowest_entry() const {
    return first_frame == first_frame::forced || first_frame == first_frame::masked ? blocks_of_frame : 0;
  }
  ABLATE_ON_BOTH int dense_blocks() const { return first_frame == first_frame::dense ? blocks_of_frame : 0; }
};

}  // namespace ablate::selection_attention
