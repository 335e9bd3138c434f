#pragma once

#include "kernels/block_sparse_selection/block_sparse_selection.h"
#include "kernels/common/launch_function.h"

// The launch functions of the oracle of block_sparse_selection, by the file that defines them.

namespace ablate::block_sparse_selection {

// plain.cu
void make_inputs(launcher&, const problem&, const switches&);
/// Whether each row is right.
void judge_with_fp64(launcher&, const problem&, const switches&);

}  // namespace ablate::block_sparse_selection
