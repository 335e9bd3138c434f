#pragma once

#include <cstdint>
#include <vector>

#include "kernels/common/block_layout.h"

namespace ablate {
class launcher;
}

namespace ablate::gated_attention {

struct problem;

/// In which order the patches of an image are cut into blocks (docs/operations/gated_attention.md).
enum class patch_order {
  natural,  ///< as they stand: 4 × 4 after 4 × 4
  rows,     ///< row by row of the image, as a model without blocks has them
  hilbert   ///< along a Hilbert curve through 64 × 64, of which an image is a corner
};

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

/// [patches of an image]: of each place in the order, the number of its patch among those of its image.
std::vector<std::int32_t> patches_in_order(token_geometry, patch_order);

/// The same of all tokens. Special tokens stay where they are, behind all patches.
class token_order {
 public:
  token_order(const block_layout& layout, patch_order order)
      : table_(patches_in_order(layout.geometry, order)), patches_(layout.patches()) {}

  std::int64_t token_at(std::int64_t place) const {
    if (place >= patches_) return place;
    const auto of_image = static_cast<std::int64_t>(table_.size());
    return place / of_image * of_image + table_[static_cast<std::size_t>(place % of_image)];
  }

 private:
  std::vector<std::int32_t> table_;
  std::int64_t patches_;
};

/// q, k and v into the order; O and the log-sum-exp back from it.
void move_tokens(launcher&, const problem&);
void move_outputs_back(launcher&, const problem&);

}  // namespace ablate::gated_attention
