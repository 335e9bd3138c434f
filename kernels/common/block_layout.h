#pragma once

#include <cstdint>

#include "kernels/common/on_both.h"

namespace ablate {

/// What an image consists of (docs/operations/block_pooling.md, "Tokens and blocks").
enum class token_geometry {
  s3r,  ///< 36 × 28 patches: 9 × 7 patch blocks of 4 × 4, no special tokens
  vggt  ///< 37 × 28 patches and 5 special tokens
};

/// Tokens that follow each other.
struct token_span {
  std::int64_t first;
  int count;
};

/// Which tokens of many images are a block.
///
/// s3r: each `block` tokens in turn, whatever images they are of.
///
/// vggt (the grid of patches is padded to 40 × 28, and the padding is masked): a patch block of the tenth
/// column has 4 patches, the first column of its 4 × 4. What is masked takes no memory: of each image, its 63
/// whole patch blocks follow each other, then its 7 cut ones. After the patches of all images are the
/// special tokens of all images, which are in no block.
struct block_layout {
  static constexpr int patch_block = 16, tokens_of_s3r = 1008;
  static constexpr int whole_blocks = 63, cut_blocks = 7, cut_block = 4, special_tokens = 5;
  static constexpr int blocks_of_vggt = whole_blocks + cut_blocks;
  static constexpr int patches_of_vggt = patch_block * whole_blocks + cut_block * cut_blocks;
  static constexpr int tokens_of_vggt = patches_of_vggt + special_tokens;

  token_geometry geometry = token_geometry::s3r;
  std::int64_t tokens = 0;  ///< s3r: whole blocks; vggt: whole images
  int block = patch_block;  ///< tokens of a block; vggt: patch_block

  ABLATE_ON_BOTH bool is_cut() const { return geometry == token_geometry::vggt; }
  ABLATE_ON_BOTH std::int64_t images() const { return tokens / (is_cut() ? tokens_of_vggt : tokens_of_s3r); }
  /// Tokens that are in blocks: the first ones.
  ABLATE_ON_BOTH std::int64_t patches() const { return is_cut() ? images() * patches_of_vggt : tokens; }
  ABLATE_ON_BOTH std::int64_t blocks() const {
    return is_cut() ? images() * blocks_of_vggt : block > 0 ? tokens / block : 0;
  }
  /// Blocks that begin in the first image.
  ABLATE_ON_BOTH int blocks_of_first_image() const {
    return is_cut() ? blocks_of_vggt : (tokens_of_s3r + block - 1) / block;
  }
  ABLATE_ON_BOTH token_span span(std::int64_t index) const {
    if (!is_cut()) return {index * block, block};
    const std::int64_t image = index / blocks_of_vggt * patches_of_vggt, in_image = index % blocks_of_vggt;
    if (in_image < whole_blocks) return {image + in_image * patch_block, patch_block};
    return {image + whole_blocks * patch_block + (in_image - whole_blocks) * cut_block, cut_block};
  }
  /// Of a token among the patches.
  ABLATE_ON_BOTH std::int64_t block_of(std::int64_t token) const {
    if (!is_cut()) return token / block;
    const std::int64_t first = token / patches_of_vggt * blocks_of_vggt, in_image = token % patches_of_vggt;
    const std::int64_t of_whole = in_image / patch_block;
    if (of_whole < whole_blocks) return first + of_whole;
    return first + whole_blocks + (in_image - whole_blocks * patch_block) / cut_block;
  }
};

}  // namespace ablate
