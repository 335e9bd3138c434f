#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/trajectory_resample/trajectory_resample.h"

// The launch functions of trajectory_resample, by the file that defines them.

namespace ablate::trajectory_resample {

// merge_walk.cu
void merge_walk(launcher&, const problem&, const switches&);

// per_element.cu
void per_element(launcher&, const problem&, const switches&);

// per_target.cu
void per_target(launcher&, const problem&, const switches&);

// vec16.cu
void vec16(launcher&, const problem&, const switches&);

}  // namespace ablate::trajectory_resample
