#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/convolution/convolution.h"

// The launch functions of convolution, by the file that defines them.

namespace ablate::convolution {

// direct.cu
void direct(launcher&, const problem&, const switches&);

// smem_tile.cu
void smem_tile(launcher&, const problem&, const switches&);

}  // namespace ablate::convolution
