#pragma once

#include "kernels/common/launcher.h"
#include "kernels/hard_voxelize/hard_voxelize.h"

namespace ablate::hard_voxelize {

/// From `begins` of the scratch to `number_at`: a prefix sum over the points of all clouds.
void number_voxels(launcher&, const problem&);

/// No voxel in any cloud; of a problem without points.
void store_no_voxels(launcher&, const problem&);

}  // namespace ablate::hard_voxelize
