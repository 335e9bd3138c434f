#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "kernels/block_pooling/block_pooling.h"

// What the oracles of pooling and of its gradients have in common, in fp64.

namespace ablate::block_pooling {

using row = std::array<double, width>;

/// Where a patch or a block stands in its image.
struct patch {
  std::int64_t column, row;
};
patch patch_of(std::int64_t token);
/// The mean of its patches' positions, truncated.
patch patch_of_block(const problem&, std::int64_t block);

/// An input's row, as it is made.
row made_row(const problem&, int which, std::int64_t head, std::int64_t token);

/// Rotated at a place or, with `direction` −1, back from it.
row rotated(const row&, const patch& at, int direction = 1);

double greatest_finite(const row&);

}  // namespace ablate::block_pooling
