#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/linear/linear.h"

// The launch functions of linear, by the file that defines them.

namespace ablate::linear {

// hopper_forward.cu
void own_wgmma(launcher&, const problem&, const switches&);

// hopper_resident.cu
void own_wgmma_normed(launcher&, const problem&, const switches&);

// library.cu
void library(launcher&, const problem&, const switches&);

// mma_normed.cu
void own_mma(launcher&, const problem&, const switches&);

}  // namespace ablate::linear
