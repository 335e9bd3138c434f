#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/gated_attention/gated_attention.h"

// The launch functions of the oracle of gated_attention, by the file that defines them.

namespace ablate::gated_attention {

// check.cu
/// Each part against plain arithmetic, from what the one before it left.
void compare_parts(launcher&, const problem&, const switches&);

// inputs.cu
void make_inputs(launcher&, const problem&, const switches&);

// moves.cu
/// Counts elements of q, k, v, O and the log-sum-exp that are others in the order of blocks, or back from it.
void judge_moves(launcher&, const problem&);

}  // namespace ablate::gated_attention
