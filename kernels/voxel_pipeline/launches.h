#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/voxel_pipeline/voxel_pipeline.h"

// The launch functions of voxel_pipeline, by the file that defines them.

namespace ablate::voxel_pipeline {

// fused.cu
void fused(launcher&, const problem&, const switches&);

// passes.cu
void passes(launcher&, const problem&, const switches&);

}  // namespace ablate::voxel_pipeline
