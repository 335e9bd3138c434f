#pragma once

#include "kernels/common/launcher.h"
#include "kernels/voxel_mean/voxel_mean.h"

namespace ablate::voxel_mean {

/// Divides the sums in `mean` by the counts. `overlaps_previous`: see dependent_launch.cuh.
void divide_sums(launcher&, const problem&, bool overlaps_previous = false);

}  // namespace ablate::voxel_mean
