#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/common/block_layout.h"
#include "kernels/common/mixed.h"
#include "kernels/selection_attention/made_lists.h"
#include "kernels/window_attention/window_attention.h"

namespace ablate::selection_attention {

using window_attention::deviation;
using window_attention::deviations;
using window_attention::sampled_row;
using window_attention::tensor;

/// The selection branch of gated sparse attention (docs/operations/selection_attention.md; Speed3R,
/// supplement, §1.1): tokens are in blocks of b neighbors, and the queries of a block attend to the tokens of
/// k key blocks alone, those of its list, at full resolution: per head, with S = Q·Kᵀ / √64, P = softmax of
/// the rows of S, O = P·V. Each (head, query block) has a list of its own, as a top-k leaves it.
///
/// Entries outside of 0 … blocks − 1 (−1: no block) are skipped wherever they stand. A query without keys,
/// or whose scores all are −∞, has O = 0 and a log-sum-exp of −∞. Other NaN and infinities reach O and the
/// log-sum-exp as they do in window_attention.h.
///
/// The blocks of the first frame can have a rule of their own (first_frame below).
///
/// In the geometry with special tokens (block_layout.h, vggt) all queries of blocks attend to those as well,
/// behind their lists; special queries attend to all tokens, ungated, by another kernel: their rows are left
/// out here.
///
/// Where it is gated, O becomes γ_c · C + γ_s · O with the row C that attention to compressed blocks left for
/// the query's block, and two gates a token and head. The log-sum-exp is that of S all the same.

constexpr int width = 64;  ///< elements of a head
constexpr int tile = 16;   ///< tokens that a tensor product takes at once; divides a block
constexpr int most_selected = 64;

/// Entries that are not of lists: at most the blocks of a frame.
constexpr int most_forced = 64, most_entries = most_forced + most_selected;

/// What becomes of the first frame, the first blocks of a head.
enum class first_frame {
  competes,  ///< as all others
  forced,    ///< all queries attend to its blocks, ahead of those of their lists, which do not name them
  masked,    ///< no query attends to its blocks; entries that name them are skipped
  dense      ///< its queries are left out here: they attend to all tokens, ungated, by another kernel
};

/// What the numbers in K look like, beside unit normal ones.
enum class planted {
  nothing,
  ascending,   ///< scores that rise with the key's number, by 30 powers of two for each of 32 parts of them
  descending,  ///< scores that fall likewise
  nan_key,     ///< one element of one key of each head is NaN
  inf_key,     ///< likewise, infinity
  nan_value    ///< one element of one value of each head is NaN
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
  int blocks_of_frame = 0;  ///< unless the first frame competes; where it is forced, at most most_forced
  /// first_frame::forced: attention to its blocks is there already, in `out` and `lse`, by another kernel;
  /// what lists name is put beside it.
  bool forced_is_there = false;
  /// Inputs and lists never change: the first comparison computes plain attention, of all rows, and keeps it.
  /// Otherwise each does, of every m-th of all heads' rows.
  bool keeps_plain = true;

  // What the inputs are made of.
  made_lists lists;
  std::uint64_t seed = 1;
  float score_spread = 1;  ///< Q and K are unit normal times this
  planted what = planted::nothing;

  const std::uint16_t *q = nullptr, *k = nullptr, *v = nullptr;  ///< bf16 [heads][tokens][64]
  const std::int32_t* table = nullptr;        ///< [heads][tokens / block][selected]: key blocks
  const std::uint16_t* compressed = nullptr;  ///< bf16 [heads][tokens / block][64]; gated alone
  const float* gates = nullptr;               ///< [tokens][heads_of_gates][2]: γ_c and γ_s; gated alone
  std::int64_t heads_of_gates = 0;            ///< where these heads are some of a layer's; 0: `heads`
  std::uint16_t* out = nullptr;               ///< bf16 [heads][tokens][64]
  std::uint16_t* ungated = nullptr;           ///< as `out`: rows before the gate; keeps_ungated alone
  float* lse = nullptr;                       ///< [heads][tokens]: ln Σ exp of the row's scores

  const sampled_row* samples = nullptr;  ///< [sample_count]; batch 0
  std::int64_t sample_count = 0;
  deviations* found = nullptr;   ///< [1], by the comparison
  float* sampled_out = nullptr;  ///< [sample_count][64], by the comparison
  float* sampled_lse = nullptr;  ///< [sample_count], by the comparison
  void* reference = nullptr;     ///< reference_bytes(problem), zeros before the first comparison

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
  /// 2^31 products of rows take plain attention a fraction of a second. Odd, so that all places in a tile are
  /// met.
  ABLATE_ON_BOTH std::int64_t compared_stride() const {
    constexpr std::int64_t most_products = std::int64_t{1} << 31;
    if (keeps_plain) return 1;
    const std::int64_t keys = (selected + forced_blocks()) * static_cast<std::int64_t>(block),
                       dense = dense_blocks() * static_cast<std::int64_t>(block),
                       special = tokens - layout().patches();
    // A dense query's keys are counted as those of its column: one more for each query.
    return (heads * tokens * (keys + dense + 2 * special) + most_products - 1) / most_products | 1;
  }
  ABLATE_ON_BOTH std::int64_t compared_rows() const {
    return (heads * tokens + compared_stride() - 1) / compared_stride();
  }
};

/// Element of a token: what is in memory, as fp32.
ABLATE_ON_BOTH inline std::uint16_t made_bits(const problem& p, tensor of, std::int64_t head,
                                              std::int64_t token, int element) {
  const auto index = static_cast<std::uint64_t>((head * p.tokens + token) * width + element);
  const std::uint16_t made = window_attention::made_element(
      p.seed, of, index, of == tensor::q || of == tensor::k ? p.score_spread : 1);
  if (p.what == planted::nothing) return made;
  if (p.what == planted::ascending || p.what == planted::descending) {
    // Products of the first elements, over √64: ln 2 · 30 · 32 from the first key to the last.
    if (element != 0 || of == tensor::v) return made;
    const std::int64_t place = p.what == planted::ascending ? token : p.tokens - 1 - token;
    return window_attention::bf16_of(
        of == tensor::q ? 16.0f : 333.0f * static_cast<float>(place) / static_cast<float>(p.tokens));
  }
  const tensor in = p.what == planted::nan_value ? tensor::v : tensor::k;
  const auto at = static_cast<std::int64_t>(mixed(p.seed + static_cast<std::uint64_t>(head)) %
                                            static_cast<std::uint64_t>(p.tokens));
  if (of != in || token != at || element != static_cast<int>(head % width)) return made;
  return p.what == planted::inf_key ? 0x7f80 : 0x7fc0;
}

/// Element of a block's compressed row; a gate, in (0, 1).
ABLATE_ON_BOTH inline std::uint16_t made_compressed(const problem& p, std::int64_t head, std::int64_t block,
                                                    int element) {
  const auto index = static_cast<std::uint64_t>((head * p.blocks() + block) * width + element);
  return window_attention::made_element(p.seed, tensor::out_gradient, index, 1);
}
ABLATE_ON_BOTH inline float made_gate(const problem& p, std::int64_t token, std::int64_t head, int which) {
  const auto index = static_cast<std::uint64_t>((token * p.heads + head) * 2 + which);
  return (static_cast<float>(mixed(p.seed * 5 + index) >> 44) + 0.5f) * 0x1p-20f;
}

/// What plain attention gives, in fp32, of the compared rows, and what the variant left there.
struct plain_outputs {
  unsigned* is_there;       ///< not zero: computed
  float* out;               ///< [compared_rows][64]
  float* scale;             ///< [compared_rows]: what errors of a row are divided by (deviation)
  float* lse;               ///< [compared_rows]
  std::uint16_t* seen_out;  ///< bf16 [compared_rows][64]; null where plain attention is kept
  float* seen_lse;          ///< [compared_rows], likewise
};
plain_outputs cut_reference(const problem&, std::size_t* bytes = nullptr);
std::size_t reference_bytes(const problem&);

/// A row by the oracle in fp64, from inputs that it makes itself.
struct exact_row {
  std::array<double, width> out;
  double scale, lse;  ///< as plain_outputs
};
exact_row reference_row(const problem&, const sampled_row&);

}  // namespace ablate::selection_attention
