#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/gated_attention/gated_attention.h"

// The launch functions of gated_attention, by the file that defines them.

namespace ablate::gated_attention {

// layer.cu
void attend(launcher&, const problem&, const switches&);
void attend_by_heads(launcher&, const problem&, const switches&);

}  // namespace ablate::gated_attention
