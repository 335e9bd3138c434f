#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/merged_attention/merged_attention.h"

// The launch functions of merged_attention, by the file that defines them.

namespace ablate::merged_attention {

// attend.cu
void attend(launcher&, const problem&, const switches&);

}  // namespace ablate::merged_attention
