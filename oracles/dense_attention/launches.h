#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/dense_attention/checked_problem.h"

// The launch functions of the oracle of dense_attention, by the file that defines them.

namespace ablate::dense_attention {

// check.cu
/// Against plain arithmetic.
void compare_with_plain(launcher&, const checked_problem&, const switches&);
void make_inputs(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::dense_attention
