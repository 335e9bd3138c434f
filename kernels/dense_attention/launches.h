#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/dense_attention/dense_attention.h"

// The launch functions of dense_attention, by the file that defines them.

namespace ablate::dense_attention {

// attend.cu
void attend(launcher&, const problem&, const switches&);

}  // namespace ablate::dense_attention
