#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/global_attention/checked_layer.h"

// The launch functions of what the oracles of global attention share, by the file that defines them.

namespace ablate::global_attention {

// inputs.cu
/// q, k and v.
void make_inputs(launcher&, const checked_layer&);

}  // namespace ablate::global_attention
