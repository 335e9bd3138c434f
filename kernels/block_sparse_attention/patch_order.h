#pragma once

#include <cstdint>
#include <vector>

#include "kernels/common/block_layout.h"

namespace ablate {
class launcher;
}

namespace ablate::block_sparse_attention {

struct problem;

/// In which order the patches of an image are cut into blocks (docs/operations/block_sparse_attention.md).
enum class patch_order {
  natural,  ///< as they are: 4 × 4 after 4 × 4
  rows,     ///< row by row of the image, as a model without blocks has them
  hilbert   ///< along a Hilbert curve through 64 × 64; an image is a corner of it
};

/// [patches of an image]: of each place in the order, the number of its patch among those of its image.
std::vector<std::int32_t> patches_in_order(token_geometry, patch_order);

/// The same of all tokens. Special tokens stay where they are, after all patches.
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

}  // namespace ablate::block_sparse_attention
