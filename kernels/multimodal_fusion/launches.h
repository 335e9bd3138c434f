#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/multimodal_fusion/multimodal_fusion.h"

// The launch functions of multimodal_fusion, by the file that defines them.

namespace ablate::multimodal_fusion {

// fuse.cu
void fuse(launcher&, const problem&, const switches&);

}  // namespace ablate::multimodal_fusion
