#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/block_layout.h"
#include "kernels/common/on_both.h"

namespace ablate {
class launcher;
}

namespace ablate::block_pooling {

/// Pooling for gated sparse attention (docs/operations/block_pooling.md; Speed3R, supplement, §1.1): a block
/// of b neighboring tokens becomes one row of q, one of k and one of v, per head of 64 elements: the mean of
/// the block's rows. Sums are fp32, inputs and outputs bf16.
///
/// mode::pre (as in Speed3R's code): means of the raw projections. The rows of q and k are normalized, then
/// rotated at the block's position; those of v stay means.
/// mode::post: means of rows of q and k that are normalized and rotated already, and of v. Where the tokens
/// are not written (below), the inputs are such rows, and this is nothing but the mean.
///
/// Where `writes_tokens`, the inputs are raw, and the normalized and rotated rows of all tokens, which the
/// selection branch needs, are written as well, with the rows of v as they are.
///
/// Normalized: y = (x − mean) / √(variance + 1e-5) · weight + bias over the 64 elements of a head's row, with
/// weights and biases that all heads share (PyTorch's LayerNorm(64), its default ε; π³ so normalizes q and
/// k). Computed from fp32 means; the difference from the mean is squared, not the squares subtracted.
/// Rotated: the first 32 elements by the row y of a patch in its image, the last 32 by its column x. In each
/// half (u, w), elements i and i + 16, become (u cos a − w sin a, w cos a + u sin a), with
/// a = position · 100^(−i/16): base 100 and this pairing are those of π³'s RoPE2D. Positions count from 0:
/// π³ counts from 1 because of its register tokens, which are left out here. A block's position is the mean
/// of its patches' positions, each of y and x truncated.
///
/// Images have 36 × 28 patches (9 × 7 patch blocks of 4 × 4), no special tokens; tokens are in block order,
/// row by row within each block; images follow each other. Blocks of more than 16 tokens are several patch
/// blocks and may reach into the next image: then positions of both are averaged.
///
/// In the other geometry (block_layout.h, vggt) a block has 16 tokens or 4, and special tokens are in none.
/// There rows are nothing but means: mode::post, and tokens are not written.
///
/// NaN and infinities reach the pooled row of their block, in mode::pre all of it, and no other row. A zero
/// may have either sign.

constexpr int width = 64;                               ///< elements of a head
constexpr int patch_block = block_layout::patch_block;  ///< tokens; divides a block
constexpr int columns_of_blocks = 9, rows_of_blocks = 7;
constexpr int blocks_of_image = columns_of_blocks * rows_of_blocks;
constexpr int tokens_of_image = patch_block * blocks_of_image;
constexpr int positions = 4 * columns_of_blocks;  ///< x; y has fewer
constexpr int angles = 16;                        ///< of each half of a row
constexpr float epsilon = 1e-5f;
constexpr int tensors = 3;  ///< q, k, v, in this order

enum class mode { pre, post };

struct problem {
  std::int64_t tokens = 0;  ///< whole blocks
  std::int64_t heads = 1;
  int block = 16;  ///< tokens: 16, 32, 64 or 128
  token_geometry geometry = token_geometry::s3r;
  block_pooling::mode mode = mode::post;
  bool is_packed = false;      ///< inputs [tokens][3][heads][64], not each [heads][tokens][64]
  bool writes_tokens = false;  ///< normalized and rotated rows of all tokens, beside the pooled ones

  /// q, k, v: bf16, head 0 of token 0, aligned to 16 bytes (see is_packed).
  const std::uint16_t* in[tensors] = {};
  /// Weight and bias of q's norm, then of k's: [2][2][64]; where rows are normalized.
  const float* norm = nullptr;
  /// cos and sin of position · 100^(−i / 16): [positions][16][2]; where rows are rotated.
  const float* rotations = nullptr;
  std::uint16_t* pooled[tensors] = {};     ///< bf16 [heads][tokens / block][64] each
  std::uint16_t* of_tokens[tensors] = {};  ///< bf16 [heads][tokens][64] each, if writes_tokens
  float* means = nullptr;  ///< scratch, [2][heads][tokens / block][64]: mode::pre in separate launches

  ABLATE_ON_BOTH block_layout layout() const { return {geometry, tokens, block}; }
  ABLATE_ON_BOTH std::int64_t blocks() const { return layout().blocks(); }
  ABLATE_ON_BOTH std::int64_t elements() const { return heads * tokens * width; }  ///< of q, of k, of v
  ABLATE_ON_BOTH std::int64_t head_stride() const { return is_packed ? width : tokens * width; }
  ABLATE_ON_BOTH std::int64_t token_stride() const { return is_packed ? tensors * heads * width : width; }
  bool normalizes() const { return mode == mode::pre || writes_tokens; }
};

/// Launches the fastest form for this layout: what an operation that pools calls. Any problem.
void pool(launcher&, const problem&);

}  // namespace ablate::block_pooling
