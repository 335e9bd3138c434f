#pragma once

#include <cuda_runtime.h>

namespace ablate {

/// Programmatic dependent launch (CUDA programming guide, "Programmatic Dependent Launch and
/// Synchronization"): a kernel launched with geometry::overlaps_previous may begin while the kernel before it
/// still runs. Before sm_90 there is no such launch, and both functions do nothing.

/// Lets the next kernel begin once every block of this one has got here. The next kernel must wait before it
/// reads anything this one writes.
__device__ inline void let_next_kernel_begin() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Returns once the previous kernel has ended and its writes are visible.
__device__ inline void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

}  // namespace ablate
