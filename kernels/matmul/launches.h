#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/matmul/matmul.h"

// The launch functions of matmul, by the file that defines them.

namespace ablate::matmul {

// naive.cu
void naive(launcher&, const problem&, const switches&);

// register_block.cu
void register_block(launcher&, const problem&, const switches&);

// smem_register_block.cu
void smem_register_block(launcher&, const problem&, const switches&);

// smem_tiles.cu
void smem_tiles(launcher&, const problem&, const switches&);

// smem_wide_block.cu
void smem_wide_block(launcher&, const problem&, const switches&);

}  // namespace ablate::matmul
