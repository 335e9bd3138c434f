#pragma once

#include "kernels/hard_voxelize/hard_voxelize.h"

namespace ablate::hard_voxelize {

/// The oracle: one point after the other, with choice::first. Into host buffers; points are on the host too.
void reference(const problem&);

}  // namespace ablate::hard_voxelize
