#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/linear/checked_problem.h"

// The launch functions of the oracle of linear, by the file that defines them.

namespace ablate::linear {

// plain.cu
void make_inputs(launcher&, const checked_problem&, const switches&);
/// How far the outputs are from plain fp64 arithmetic.
void compare_with_plain(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::linear
