#pragma once

#include "kernels/backbone/backbone.h"
#include "kernels/common/launch_function.h"

// The launch functions of backbone, by the file that defines them.

namespace ablate::backbone {

// steps.cu
void forward(launcher&, const problem&, const switches&);

}  // namespace ablate::backbone
