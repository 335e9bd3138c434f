#pragma once

#include "kernels/backbone/backbone.h"
#include "kernels/common/launch_function.h"

// The launch functions of the oracle of backbone, by the file that defines them.

namespace ablate::backbone {

// check.cu
/// The steps once more on the index that is there, each compared with plain arithmetic on its own inputs.
void compare_steps(launcher&, const problem&, const switches&);

}  // namespace ablate::backbone
