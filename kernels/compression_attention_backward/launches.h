#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/compression_attention_backward/compression_attention_backward.h"

// The launch functions of compression_attention_backward, by the file that defines them.

namespace ablate::compression_attention_backward {

// cores.cu
void mma(launcher&, const problem&, const switches&);
void hopper(launcher&, const problem&, const switches&);

}  // namespace ablate::compression_attention_backward
