#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/jacobian/jacobian.h"

// The launch functions of jacobian, by the file that defines them.

namespace ablate::jacobian {

// parameters.cu
void jacobians(launcher&, const problem&, const switches&);

}  // namespace ablate::jacobian
