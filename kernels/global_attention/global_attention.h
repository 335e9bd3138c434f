#pragma once

#include <cstdint>

#include "kernels/common/block_layout.h"

/// What layers of global attention over the tokens of many images have in common, whatever each token attends
/// to: dense_attention, gated_attention, block_sparse_attention, merged_attention, pooled_key_attention.
namespace ablate::global_attention {

constexpr int width = 64;  ///< elements of a head

struct layer {
  std::int64_t tokens = 0;  ///< whole blocks
  std::int64_t heads = 1;
  int block = block_layout::patch_block;  ///< tokens of a block: 16, 32, 64 or 128
  token_geometry geometry = token_geometry::s3r;

  const std::uint16_t *q = nullptr, *k = nullptr, *v = nullptr;  ///< bf16 [heads][tokens][64]
  std::uint16_t* out = nullptr;                                  ///< bf16 [heads][tokens][64]
  float* lse = nullptr;  ///< [heads][tokens]: ln Σ exp of the scaled scores that a row attends to

  ABLATE_ON_BOTH block_layout layout() const { return {geometry, tokens, block}; }
  ABLATE_ON_BOTH std::int64_t blocks() const { return layout().blocks(); }
  ABLATE_ON_BOTH std::int64_t elements() const { return heads * tokens * width; }
};

enum class phase {
  choose,  ///< what is chosen alone (lists, bits, means or matches), ahead of a region that is given it
  attend
};

/// A layer in which something goes ahead of attention: pooling, a choice of blocks, or merging.
struct prepared_layer : layer {
  bool lists_are_given = false;  ///< phase choose ran before and left what it chose
  bool stops_ahead = false;      ///< what goes ahead of attention alone
  phase work = phase::attend;

  /// Whether a launch chooses.
  bool chooses() const { return !lists_are_given || work == phase::choose; }
};

}  // namespace ablate::global_attention
