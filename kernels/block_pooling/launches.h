#pragma once

#include "kernels/block_pooling/block_pooling.h"
#include "kernels/common/launch_function.h"

// The launch functions of block_pooling, by the file that defines them.

namespace ablate::block_pooling {

// rows.cu
void rows(launcher&, const problem&, const switches&);

// separate.cu
void separate(launcher&, const problem&, const switches&);

// warps.cu
void warps(launcher&, const problem&, const switches&);

}  // namespace ablate::block_pooling
