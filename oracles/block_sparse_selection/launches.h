#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/block_sparse_selection/checked_problem.h"

// The launch functions of the oracle of block_sparse_selection, by the file that defines them.

namespace ablate::block_sparse_selection {

// plain.cu
void make_inputs(launcher&, const checked_problem&, const switches&);
/// Whether each row is right.
void judge_with_fp64(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::block_sparse_selection
