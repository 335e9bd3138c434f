#pragma once

#include "kernels/common/launcher.h"
#include "kernels/hard_voxelize/hard_voxelize.h"

namespace ablate::hard_voxelize {

/// Computes `number_at` of the scratch from `begins`: a prefix sum over the points of all clouds.
void number_voxels(launcher&, const problem&);

/// Stores that no cloud has voxels; for a problem without points.
void store_no_voxels(launcher&, const problem&);

}  // namespace ablate::hard_voxelize
