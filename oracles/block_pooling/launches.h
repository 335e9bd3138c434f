#pragma once

#include "kernels/block_pooling/block_pooling.h"
#include "kernels/common/launch_function.h"

// What makes the inputs of block_pooling and compares its outputs, by the file that defines it.

namespace ablate::block_pooling {

// plain.cu
void make_inputs(launcher&, const problem&, const switches&);
/// How far all rows are from plain fp32 arithmetic.
void compare_with_plain(launcher&, const problem&, const switches&);

}  // namespace ablate::block_pooling
