#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/common/block_layout.h"
#include "kernels/common/mixed.h"
#include "kernels/window_attention/window_attention.h"

namespace ablate {
class launcher;
}

namespace ablate::block_pooling {

using window_attention::deviation;
using window_attention::tensor;

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

/// The numbers in the inputs, beside unit normal ones.
enum class content {
  unit,
  large,       ///< times 2^40
  offset,      ///< plus 64: the variance is far below the square of the mean
  nan,         ///< one element of one token of each head is NaN, in q, k and v
  minus_zero,  ///< each third patch block is −0
};

/// A row that the check reads directly.
struct sampled_row {
  std::int32_t of;  ///< tensor; 3 and more: of all tokens, where they are written
  std::int32_t head, row;
};

struct problem {
  std::int64_t tokens = 0;  ///< whole blocks
  std::int64_t heads = 1;
  int block = 16;  ///< tokens: 16, 32, 64 or 128
  token_geometry geometry = token_geometry::s3r;
  block_pooling::mode mode = mode::post;
  bool is_packed = false;      ///< inputs [tokens][3][heads][64], not each [heads][tokens][64]
  bool writes_tokens = false;  ///< normalized and rotated rows of all tokens, beside the pooled ones

  // What the inputs are made of.
  std::uint64_t seed = 1;
  content what = content::unit;

  /// q, k, v: bf16, head 0 of token 0, aligned to 16 bytes (see is_packed).
  const std::uint16_t* in[tensors] = {};
  /// Weight and bias of q's norm, then of k's: [2][2][64]; where rows are normalized.
  const float* norm = nullptr;
  /// cos and sin of position · 100^(−i / 16): [positions][16][2]; where rows are rotated.
  const float* rotations = nullptr;
  std::uint16_t* pooled[tensors] = {};     ///< bf16 [heads][tokens / block][64] each
  std::uint16_t* of_tokens[tensors] = {};  ///< bf16 [heads][tokens][64] each, if writes_tokens
  float* means = nullptr;  ///< scratch, [2][heads][tokens / block][64]: mode::pre in separate launches

  const sampled_row* samples = nullptr;  ///< [sample_count]
  std::int64_t sample_count = 0;
  deviation* found = nullptr;  ///< [2 · tensors], by the comparison: pooled q, k, v, then those of all tokens
  float* sampled_out = nullptr;  ///< [sample_count][64], by the comparison

  ABLATE_ON_BOTH block_layout layout() const { return {geometry, tokens, block}; }
  ABLATE_ON_BOTH std::int64_t blocks() const { return layout().blocks(); }
  ABLATE_ON_BOTH std::int64_t elements() const { return heads * tokens * width; }  ///< of q, of k, of v
  ABLATE_ON_BOTH std::int64_t head_stride() const { return is_packed ? width : tokens * width; }
  ABLATE_ON_BOTH std::int64_t token_stride() const { return is_packed ? tensors * heads * width : width; }
  bool normalizes() const { return mode == mode::pre || writes_tokens; }
};

/// The token of a head with the NaN.
ABLATE_ON_BOTH inline std::int64_t nan_token(const problem& p, tensor of, std::int64_t head) {
  const auto index = static_cast<std::uint64_t>(head * tensors + static_cast<int>(of));
  return static_cast<std::int64_t>(mixed(p.seed * 9 + index) % static_cast<std::uint64_t>(p.tokens));
}

/// An element as it is in memory. Layouts hold the same elements.
ABLATE_ON_BOTH inline std::uint16_t made_bits(const problem& p, tensor of, std::int64_t head,
                                              std::int64_t token, int element) {
  const auto index = static_cast<std::uint64_t>((head * p.tokens + token) * width + element);
  const std::uint16_t made =
      window_attention::made_element(p.seed, of, index, p.what == content::large ? 0x1p40f : 1);
  if (p.what == content::offset) return window_attention::bf16_of(window_attention::float_of_bf16(made) + 64);
  if (p.what == content::minus_zero) return token / patch_block % 3 == 1 ? 0x8000 : made;
  if (p.what != content::nan) return made;
  return token == nan_token(p, of, head) && element == static_cast<int>(head * 7 % width) ? 0x7fc0 : made;
}

/// Weight (`part` 0) or bias (1) of the norm of q (`which` 0) or k (1).
inline float made_norm(const problem& p, int which, int part, int element) {
  const auto index = static_cast<std::uint64_t>((which * 2 + part) * width + element);
  const float made = window_attention::float_of_bf16(
      window_attention::made_element(p.seed, tensor::out_gradient, index, 0.25f));
  return part == 0 ? 1 + made : made;
}

/// What the check accepts. An output is rounded once, so that it is within half an ulp of bf16 of the exact
/// value; accepted is one ulp or, where it is greater, the floor of the row:
/// - For means, what fp32 sums can be off by, in units of 1/b · √Σx² (oracles/common/rounding.h: 16 · 2^-24).
/// - For normalized rows and their means, √2 · 2^-7 of the row's greatest element before rotation: what the
///   norm leaves may wait in bf16 for the rotation, and is rounded again behind it. Each rounding is off by
///   up to 2^-8 of what it rounds, and a rotation adds up to √2 of the greatest element and of its error.
/// Rows of v are copied: they must be equal.
constexpr float accepted_of_mean = 0x1p-20f, accepted_of_normalized = 0x1.6a0ap-7f;

/// By how much an element may be off.
ABLATE_ON_BOTH inline float tolerance_of(float expected, float floor) {
  std::uint32_t bits;
  memcpy(&bits, &expected, sizeof bits);
  bits &= 0x7f800000u;  // the power of two below it
  float power;
  memcpy(&power, &bits, sizeof power);
  const float ulp = power * 0x1p-7f;
  return ulp > floor ? ulp : floor;
}

/// A row by the oracle in fp64, from inputs that it makes itself, and its floor.
struct exact_row {
  std::array<double, width> out;
  double floor;
};
exact_row reference_row(const problem&, const sampled_row&);

/// Launches the fastest form for this layout: what an operation that pools calls. Any problem; `samples` and
/// what follows may be null.
void pool(launcher&, const problem&);

}  // namespace ablate::block_pooling
