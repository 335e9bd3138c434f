#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/compression_attention_backward/compression_attention_backward.h"

// The launch function of compression_attention_backward.

namespace ablate::compression_attention_backward {

// cores.cu
void differentiate(launcher&, const problem&, const switches&);

}  // namespace ablate::compression_attention_backward
