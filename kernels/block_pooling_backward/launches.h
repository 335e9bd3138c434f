#pragma once

#include "kernels/block_pooling_backward/block_pooling_backward.h"
#include "kernels/common/launch_function.h"

// The launch functions of block_pooling_backward, by the file that defines them.

namespace ablate::block_pooling_backward {

// separate.cu
void separate(launcher&, const problem&, const switches&);

// warps.cu
void warps(launcher&, const problem&, const switches&);

}  // namespace ablate::block_pooling_backward
