#pragma once

#include "kernels/block_pooling_backward/block_pooling_backward.h"
#include "kernels/common/launch_function.h"

// The launch function of block_pooling_backward, and the forms that it picks among, which layers also call by
// name: each by the file that defines it.

namespace ablate::block_pooling_backward {

// forms.cu
void take_back(launcher&, const problem&, const switches&);

// separate.cu
void separate(launcher&, const problem&, const switches&);

// warps.cu
void warps(launcher&, const problem&, const switches&);

}  // namespace ablate::block_pooling_backward
