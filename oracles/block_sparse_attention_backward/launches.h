#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/block_sparse_attention_backward/checked_problem.h"

// The launch functions of the oracle of block_sparse_attention_backward, by the file that defines them.

namespace ablate::block_sparse_attention_backward {

// check.cu
/// Each part, forward and backward, against plain fp32 arithmetic, from what the one before it left.
void compare_parts(launcher&, const checked_problem&, const switches&);
void make_inputs(launcher&, const checked_problem&, const switches&);

// kept_plain.cu
/// Bits turned around, one by one; and gradients of every m-th row against plain fp32 arithmetic.
void compare_kept_with_plain(launcher&, const checked_problem&);

}  // namespace ablate::block_sparse_attention_backward
