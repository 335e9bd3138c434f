#pragma once

#include "kernels/common/launcher.h"
#include "kernels/voxel_mean/voxel_mean.h"

namespace ablate::voxel_mean {

/// The fractional bits of sums in fixed point. Exact for every float from 2^-13 in magnitude up, since none
/// of its 24 bits is below 2^-36; each smaller one is off by at most 2^-37.
constexpr int fixed_point_bits = 36;

/// Divides the sums that stand in `mean` by the counts. `overlaps_previous`: see dependent_launch.cuh.
void divide_sums(launcher&, const problem&, bool overlaps_previous = false);

/// Puts the sums of `fixed_sums`, divided by the counts, into `mean`.
void divide_fixed_sums(launcher&, const problem&);

}  // namespace ablate::voxel_mean
