#pragma once

#include "kernels/block_sparse_attention_backward/block_sparse_attention_backward.h"
#include "kernels/common/launch_function.h"

// The launch functions of block_sparse_attention_backward, by the file that defines them.

namespace ablate::block_sparse_attention_backward {

// train.cu
void train(launcher&, const problem&, const switches&);

}  // namespace ablate::block_sparse_attention_backward
