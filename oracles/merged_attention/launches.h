#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/merged_attention/checked_problem.h"

// The launch functions of the oracle of merged_attention, by the file that defines them.

namespace ablate::merged_attention {

// check.cu
/// Each part against plain arithmetic, from what the one before it left.
void compare_parts(launcher&, const checked_problem&, const switches&);
void make_inputs(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::merged_attention
