#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/block_sparse_attention/checked_problem.h"

// The launch functions of the oracle of block_sparse_attention, by the file that defines them.

namespace ablate::block_sparse_attention {

// check.cu
/// Each part against plain arithmetic, from what the one before it left.
void compare_parts(launcher&, const checked_problem&, const switches&);
void make_inputs(launcher&, const checked_problem&, const switches&);

// moves.cu
/// Counts elements of q, k, v, O and the log-sum-exp that are others in the order of blocks, or back from it.
void judge_moves(launcher&, const checked_problem&);

}  // namespace ablate::block_sparse_attention
