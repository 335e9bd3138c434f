#pragma once

// All that a project includes for an operation of its own: in the file that defines it, and in the one that
// has its kernels (nvcc gets launch.cuh besides). docs/own_kernels.md shows both.
// An operation with a problem struct takes <ablate/registry/define.h>, inputs that are point clouds
// <ablate/inputs/clouds.h>.

#ifdef __CUDACC__
#include "kernels/common/launch.cuh"
#endif

#include "harness/registry/define_kernel.h"
#include "harness/version.h"
#include "kernels/common/launch_check.h"
#include "kernels/common/spans.h"
#include "kernels/common/switches.h"
#include "kernels/common/unsupported.h"
