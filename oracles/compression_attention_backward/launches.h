#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/compression_attention_backward/checked_problem.h"

// The launch functions of the oracle of compression_attention_backward, by the file that defines them.

namespace ablate::compression_attention_backward {

// plain.cu
void make_inputs(launcher&, const checked_problem&, const switches&);
void compare_with_plain(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::compression_attention_backward
