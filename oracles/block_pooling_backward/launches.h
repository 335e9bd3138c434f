#pragma once

#include "kernels/block_pooling_backward/block_pooling_backward.h"
#include "kernels/common/launch_function.h"

// What makes the inputs of block_pooling_backward and compares its outputs, by the file that defines it.

namespace ablate::block_pooling_backward {

// plain.cu
void make_inputs(launcher&, const problem&, const switches&);
/// How far all rows are from plain fp32 arithmetic.
void compare_with_plain(launcher&, const problem&, const switches&);

}  // namespace ablate::block_pooling_backward
