#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/compression_attention_backward/compression_attention_backward.h"

// What makes the inputs of compression_attention_backward and compares its outputs, by the file that defines
// it.

namespace ablate::compression_attention_backward {

// plain.cu
void make_inputs(launcher&, const problem&, const switches&);
void compare_with_plain(launcher&, const problem&, const switches&);

}  // namespace ablate::compression_attention_backward
