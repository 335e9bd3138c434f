#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/backbone/checked_problem.h"

// The launch functions of the oracle of backbone, by the file that defines them.

namespace ablate::backbone {

// check.cu
/// The steps again on the index that is there, each compared with plain arithmetic on its own inputs.
void compare_steps(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::backbone
