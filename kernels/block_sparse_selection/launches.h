#pragma once

#include "kernels/block_sparse_selection/block_sparse_selection.h"
#include "kernels/common/launch_function.h"

// The launch function of block_sparse_selection, and the forms that it picks among, which layers also call by
// name: each by the file that defines it.

namespace ablate::block_sparse_selection {

// forms.cu
void choose(launcher&, const problem&, const switches&);

// descent.cu
void descent(launcher&, const problem&, const switches&);

// sort.cu
void sort_rows(launcher&, const problem&, const switches&);

}  // namespace ablate::block_sparse_selection
