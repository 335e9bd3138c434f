#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/mlp/mlp.h"

// The launch functions of mlp, by the file that defines them.

namespace ablate::mlp {

// fused_hopper.cu
void fused_wgmma(launcher&, const problem&, const switches&);

// fused_mma.cu
void fused_mma(launcher&, const problem&, const switches&);

// layers.cu
void library(launcher&, const problem&, const switches&);
void fused_act(launcher&, const problem&, const switches&);

}  // namespace ablate::mlp
