#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/multimodal_fusion/multimodal_fusion.h"

// The launch functions of multimodal_fusion, by the file that defines them.

namespace ablate::multimodal_fusion {

// launch_per_stream.cu
void launch_per_stream(launcher&, const problem&, const switches&);

// one_launch.cu
void one_launch(launcher&, const problem&, const switches&);

// smem_brackets.cu
void smem_brackets(launcher&, const problem&, const switches&);

// smem_times.cu
void smem_times(launcher&, const problem&, const switches&);

}  // namespace ablate::multimodal_fusion
