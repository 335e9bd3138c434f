#pragma once

#include "kernels/block_sparse_selection/block_sparse_selection.h"
#include "kernels/common/launch_function.h"

// The launch functions of block_sparse_selection, by the file that defines them.

namespace ablate::block_sparse_selection {

// descent.cu
void descent(launcher&, const problem&, const switches&);

// sort.cu
void sort_rows(launcher&, const problem&, const switches&);

}  // namespace ablate::block_sparse_selection
