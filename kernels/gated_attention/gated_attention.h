#pragma once

#include <array>
#include <cstdint>

#include "kernels/block_pooling/block_pooling.h"
#include "kernels/block_sparse_selection/block_means.h"
#include "kernels/block_sparse_selection/block_sparse_selection.h"
#include "kernels/common/mixed.h"
#include "kernels/compression_attention/compression_attention.h"
#include "kernels/gated_attention/patch_order.h"
#include "kernels/selection_attention/selection_attention.h"
#include "kernels/token_merging/token_merging.h"
#include "kernels/window_attention/made_element.h"

namespace ablate::window_attention {
struct sampled_row;  ///< that a check reads itself: oracles/window_attention/deviation.h
}

namespace ablate::gated_attention {

using window_attention::sampled_row;
using window_attention::tensor;

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
constexpr int patch_block = block_layout::patch_block, tokens_of_image = block_layout::tokens_of_s3r;
constexpr int most_selected = compression_attention::most_selected;
/// New patch blocks that each image shows of the scene: a place is seen by 12 or 13 images, so that lists of
/// 32 name the place in all of them and its neighbors, which the lists of those name too.
constexpr int step_of_images = 5;

enum class method { sparse, dense, block_sparse, merged, pooled_keys };
using selection_attention::first_frame;

enum class phase {
  choose,  ///< pooling and lists (or bits, or matches) alone, ahead of a region whose lists are given
  attend
};

/// What q and k hold; v is unit normal.
enum class scores {
  /// Images see overlapping stretches of one scene. q and k have standard deviation 1: 0.8 of what the
  /// token's place looks like (three quarters of it the place's, which changes smoothly from patch block to
  /// patch block, one quarter the token's own place in it) and 0.6 of noise.
  scene,
  /// The same, of one plane: an image shows 36 or 37 columns of patches of it, 3 of them new; what a place
  /// looks like changes smoothly in both directions.
  plane,
  unit,       ///< unit normal
  integers,   ///< whole numbers from −4 to 4; pooled scores are exact in fp32, and have ties
  ascending,  ///< every key block beats all before it, the worst order for a running top-k
  equal       ///< one key for all tokens of a head
};

struct findings;  ///< of the comparison: oracles/gated_attention/findings.h

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

  std::uint64_t seed = 1;
  scores what = scores::scene;

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

  /// [block_sample_count]: block and head; sparse; of block_sparse, blocks of 128 queries.
  const sampled_row* block_samples = nullptr;
  const sampled_row* samples = nullptr;          ///< [sample_count]: token and head, all of one head
  const std::int32_t* source_samples = nullptr;  ///< [source_sample_count]: sources by number; merged alone
  std::int64_t block_sample_count = 0, sample_count = 0, source_sample_count = 0;
  findings* found = nullptr;  ///< [1], by the comparison; also all that follows
  float *sampled_compressed = nullptr, *sampled_compressed_lse = nullptr;  ///< [block_sample_count][64], [ ]
  std::int32_t* sampled_table = nullptr;                                   ///< [block_sample_count][selected]
  std::uint32_t* sampled_kept = nullptr;                 ///< [block_sample_count][words], block_sparse alone
  std::int32_t* sampled_counts = nullptr;                ///< [block_sample_count], likewise
  std::int32_t* sampled_best = nullptr;                  ///< [source_sample_count], merged alone
  float* sampled_similarity = nullptr;                   ///< likewise
  float *sampled_out = nullptr, *sampled_lse = nullptr;  ///< [sample_count][64], [sample_count]
  void* row_reference = nullptr;                         ///< of compression, or of attention to all or kept
  void* selection_reference = nullptr;                   ///< sparse alone

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

/// Whether fp32 holds every pooled score exactly, or all of them are the same.
ABLATE_ON_BOTH inline bool are_exact(scores what) {
  return what == scores::integers || what == scores::ascending || what == scores::equal;
}

/// A near-Gaussian whole number with standard deviation 37837: the sum of four uniform ones of 16 bits.
ABLATE_ON_BOTH inline std::int32_t made_integer(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t x = mixed(seed * 0x9e3779b97f4a7c15ull + index);
  const auto part = [&](int shift) { return static_cast<std::int32_t>(x >> shift & 0xffff); };
  return part(0) + part(16) + part(32) + part(48) - 2 * 0xffff;
}

/// scores::plane, of q and k, as scene_element: of four neighboring cells of 4 × 4 patches, and the patch.
ABLATE_ON_BOTH inline std::uint16_t plane_element(std::uint64_t seed, tensor of, std::int64_t head,
                                                  const patch_position& patch, int element,
                                                  std::uint64_t index) {
  constexpr std::int64_t new_columns = 3, rows_of_cells = 16, rows = 4 * rows_of_cells;
  const auto seed_of = [seed](std::uint64_t what) { return seed * 8 + 4 + what; };
  const auto at = [&](std::int64_t place) {
    return static_cast<std::uint64_t>(head << 40 | (place * width + element));
  };
  const std::int64_t x = patch.image * new_columns + patch.x;
  std::int32_t look = 0;
  for (int i = 0; i < 4; ++i)
    look += made_integer(seed_of(0), at((x / 4 + i % 2) * rows_of_cells + patch.y / 4 + i / 2));
  const std::int32_t detail = made_integer(seed_of(1), at(x * rows + patch.y));
  const std::int32_t own = made_integer(seed_of(of == tensor::q ? 2 : 3), index);
  constexpr float unit = 1 / (64 * 37837.2f);
  return window_attention::bf16_of(static_cast<float>(22 * look + 26 * detail + 38 * own) * unit);
}

/// Where a patch stands: its image, its patch block there, its place in that.
struct patch_place {
  std::int64_t image, block, in_block;
};
ABLATE_ON_BOTH inline patch_place place_of(const block_layout& layout, std::int64_t token) {
  if (!layout.is_cut())
    return {token / tokens_of_image, token % tokens_of_image / patch_block, token % patch_block};
  const std::int64_t block = layout.block_of(token);
  return {block / block_layout::blocks_of_vggt, block % block_layout::blocks_of_vggt,
          token - layout.span(block).first};
}

/// scores::scene, of q and k. Whole numbers but for one multiplication, so that host and device agree in
/// every bit: weights of 22 (four neighboring places each), 26 and 38 out of 64.
ABLATE_ON_BOTH inline std::uint16_t scene_element(std::uint64_t seed, tensor of, std::int64_t head,
                                                  const patch_place& patch, int element,
                                                  std::uint64_t index) {
  const auto seed_of = [seed](std::uint64_t what) { return seed * 8 + what; };
  const auto at = [&](std::int64_t place) {
    return static_cast<std::uint64_t>(head << 40 | (place * width + element));
  };
  const std::int64_t place = patch.image * step_of_images + patch.block;
  std::int32_t look = 0;
  for (std::int64_t i = place; i < place + 4; ++i) look += made_integer(seed_of(0), at(i));
  const std::int32_t detail = made_integer(seed_of(1), at(place * patch_block + patch.in_block));
  const std::int32_t own = made_integer(seed_of(of == tensor::q ? 2 : 3), index);
  constexpr float unit = 1 / (64 * 37837.2f);
  return window_attention::bf16_of(static_cast<float>(22 * look + 26 * detail + 38 * own) * unit);
}

/// Element of a token: what is in memory.
ABLATE_ON_BOTH inline std::uint16_t made_bits(const problem& p, tensor of, std::int64_t head,
                                              std::int64_t token, int element) {
  using window_attention::bf16_of;
  using window_attention::made_element;
  const auto index = static_cast<std::uint64_t>((head * p.tokens + token) * width + element);
  const block_layout layout = p.layout();
  const bool is_special = token >= layout.patches();
  if (of == tensor::v) return made_element(p.seed, of, index, 1);
  switch (p.what) {
    case scores::scene:
      return is_special ? made_element(p.seed, of, index, 1)
                        : scene_element(p.seed, of, head, place_of(layout, token), element, index);
    case scores::plane:
      return is_special ? made_element(p.seed, of, index, 1)
                        : plane_element(p.seed, of, head, position_of(layout, token), element, index);
    case scores::integers: {
      const std::uint64_t drawn = mixed(p.seed * 7 + index * 2 + (of == tensor::q ? 1 : 0));
      return bf16_of(static_cast<float>(static_cast<int>((drawn >> 32) % 9) - 4));
    }
    case scores::ascending: {
      // The score is the key block's number over 64: its three digits of 7 bits times what each is worth.
      if (element > 2) return 0;
      const int shift = 7 * (2 - element);
      if (of == tensor::q) return bf16_of(static_cast<float>(1 << shift) / 64);
      return is_special ? 0 : bf16_of(static_cast<float>(layout.block_of(token) >> shift & 127));
    }
    case scores::equal:
      return made_element(p.seed, of,
                          of == tensor::k ? static_cast<std::uint64_t>(head * width + element) : index, 1);
    default:
      return made_element(p.seed, of, index, 1);
  }
}

/// A gate, in (0, 1).
ABLATE_ON_BOTH inline float made_gate(const problem& p, std::int64_t token, std::int64_t head, int which) {
  const auto index = static_cast<std::uint64_t>((token * p.heads + head) * 2 + which);
  return (static_cast<float>(mixed(p.seed * 5 + index) >> 44) + 0.5f) * 0x1p-20f;
}

}  // namespace ablate::gated_attention
