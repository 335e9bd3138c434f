#pragma once

#include <cstdint>

#include "kernels/voxelize/voxelize.h"

namespace ablate::voxelize {

/// Index of the cell of one point in its cloud's grid, or −1. fp32, round to nearest, no contraction.
std::int64_t cell_of(const problem&, const float point[3]);

/// The oracle: one point after the other. Adds the points of `points` (host pointers of the problem's shapes)
/// to `grid`, in the problem's counter type, which it clears first if the problem says so.
void reference(const problem&, const float* points, void* grid);

}  // namespace ablate::voxelize
