#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/pooled_key_attention/checked_problem.h"

// The launch functions of the oracle of pooled_key_attention, by the file that defines them.

namespace ablate::pooled_key_attention {

// check.cu
/// Each part against plain arithmetic, from what the one before it left.
void compare_parts(launcher&, const checked_problem&, const switches&);
void make_inputs(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::pooled_key_attention
