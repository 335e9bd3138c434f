#include "kernels/block_sparse_attention/patch_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/global_attention/patch_position.h"

namespace ablate::block_sparse_attention {

namespace {

/// The number of a cell of 64 × 64 along the curve.
int hilbert_number(int x, int y) {
  constexpr int side = 64;
  int number = 0;
  for (int half = side / 2; half > 0; half /= 2) {
    const int right = (x & half) != 0 ? 1 : 0, lower = (y & half) != 0 ? 1 : 0;
    number += half * half * (3 * right ^ lower);
    // The quarter's own curve is this one, turned.
    if (lower == 0) {
      if (right == 1) {
        x = side - 1 - x;
        y = side - 1 - y;
      }
      std::swap(x, y);
    }
  }
  return number;
}

}  // namespace

std::vector<std::int32_t> patches_in_order(token_geometry geometry, patch_order order) {
  const bool is_cut = geometry == token_geometry::vggt;
  const block_layout image{geometry, is_cut ? block_layout::tokens_of_vggt : block_layout::tokens_of_s3r};
  std::vector<std::int32_t> patches(static_cast<std::size_t>(image.patches()));
  std::iota(patches.begin(), patches.end(), 0);
  if (order == patch_order::natural) return patches;
  std::ranges::stable_sort(patches, {}, [&](std::int32_t patch) {
    const global_attention::patch_position at = global_attention::position_of(image, patch);
    return order == patch_order::rows ? 64 * at.y + at.x : hilbert_number(at.x, at.y);
  });
  return patches;
}

}  // namespace ablate::block_sparse_attention
