#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/reduction/reduction.h"

// The launch functions of reduction, by the file that defines them.

namespace ablate::reduction {

// block_sums.cu
void block_sums(launcher&, const problem&, const switches&);

// library.cu
void library(launcher&, const problem&, const switches&);

}  // namespace ablate::reduction
