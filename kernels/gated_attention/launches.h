#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/gated_attention/gated_attention.h"

// The launch function of gated_attention.

namespace ablate::gated_attention {

// layer.cu
void attend(launcher&, const problem&, const switches&);

}  // namespace ablate::gated_attention
