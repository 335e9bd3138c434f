#pragma once

#include "kernels/voxel_mean/voxel_mean.h"

namespace ablate::voxel_mean {

/// The oracle: sums one point after the other, in double precision, into host buffers; the problem's points
/// and features are on the host too. Clears first if the problem says so.
void reference(const problem&);

}  // namespace ablate::voxel_mean
