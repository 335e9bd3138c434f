#pragma once

#include "kernels/block_sparse_attention/block_sparse_attention.h"
#include "kernels/common/launch_function.h"

// The launch functions of block_sparse_attention, by the file that defines them.

namespace ablate::block_sparse_attention {

// attend.cu
void attend(launcher&, const problem&, const switches&);

}  // namespace ablate::block_sparse_attention
