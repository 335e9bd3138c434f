#pragma once

#include "kernels/common/launcher.h"
#include "kernels/voxel_mean/voxel_mean.h"

namespace ablate::voxel_mean {

/// Fractional bits of fixed-point sums. Exact for every float of magnitude 2^-13 or more, since none of its
/// 24 bits is below 2^-36; a smaller one is off by at most 2^-37.
constexpr int fixed_point_bits = 36;

/// Divides the sums in `mean` by the counts. `overlaps_previous`: see dependent_launch.cuh.
void divide_sums(launcher&, const problem&, bool overlaps_previous = false);

/// Writes `fixed_sums`, divided by the counts, to `mean`.
void divide_fixed_sums(launcher&, const problem&);

}  // namespace ablate::voxel_mean
