#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/compression_attention/compression_attention.h"

// What makes the inputs of compression_attention and compares its outputs, by the file that defines it.

namespace ablate::compression_attention {

// plain.cu
void make_inputs(launcher&, const problem&, const switches&);
/// Outputs and lists against plain fp32 attention, which the first call computes.
void compare_with_plain(launcher&, const problem&, const switches&);

}  // namespace ablate::compression_attention
