#pragma once

#include <cstdint>

#include "kernels/common/block_layout.h"

namespace ablate::global_attention {

/// Of a token among the patches: its image, column and row.
struct patch_position {
  std::int64_t image;
  int x, y;
};
ABLATE_ON_BOTH inline patch_position position_of(const block_layout& layout, std::int64_t token) {
  constexpr int columns_of_blocks = 9;
  const int of_image = layout.is_cut() ? block_layout::patches_of_vggt : block_layout::tokens_of_s3r;
  const std::int64_t image = token / of_image;
  const int in_image = static_cast<int>(token % of_image);
  const int block = in_image / block_layout::patch_block, in_block = in_image % block_layout::patch_block;
  if (block >= block_layout::whole_blocks)
    return {image, 4 * columns_of_blocks, in_image - block_layout::whole_blocks * block_layout::patch_block};
  return {image, block % columns_of_blocks * 4 + in_block % 4, block / columns_of_blocks * 4 + in_block / 4};
}

}  // namespace ablate::global_attention
