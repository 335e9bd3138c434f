#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/block_pooling_backward/checked_problem.h"

// What makes the inputs of block_pooling_backward and compares its outputs, by the file that defines it.

namespace ablate::block_pooling_backward {

// plain.cu
void make_inputs(launcher&, const checked_problem&, const switches&);
/// How far all rows are from plain fp32 arithmetic.
void compare_with_plain(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::block_pooling_backward
