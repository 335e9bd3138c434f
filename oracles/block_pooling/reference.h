#pragma once

#include <array>
#include <cstdint>

#include "oracles/block_pooling/checked_problem.h"

// The oracle of pooling, and what it has in common with that of its gradients, in fp64.

namespace ablate::block_pooling {

using row = std::array<double, width>;

/// A row by the oracle in fp64, from inputs that it makes itself, and its floor.
struct exact_row {
  std::array<double, width> out;
  double floor;
};
exact_row reference_row(const checked_problem&, const sampled_row&);

/// Where a patch or a block is in its image.
struct patch {
  std::int64_t column, row;
};
patch patch_of(std::int64_t token);
/// The mean of its patches' positions, truncated.
patch patch_of_block(const problem&, std::int64_t block);

/// An input's row, as it is made.
row generated_row(const checked_problem&, int which, std::int64_t head, std::int64_t token);

/// Rotated at a place or, with `direction` −1, back from it.
row rotated(const row&, const patch& at, int direction = 1);

double greatest_finite(const row&);

}  // namespace ablate::block_pooling
