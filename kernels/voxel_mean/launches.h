#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/voxel_mean/voxel_mean.h"

// The launch functions of voxel_mean, by the file that defines them.

namespace ablate::voxel_mean {

// clear_grid.cu
void clear_grid(launcher&, const problem&, const switches&);

// element_atomic.cu
void element_atomic(launcher&, const problem&, const switches&);

// point_atomic.cu
void point_atomic(launcher&, const problem&, const switches&);

// row_runs.cu
void row_runs(launcher&, const problem&, const switches&);

// smem_owners.cu
void smem_owners(launcher&, const problem&, const switches&);

// smem_table.cu
void smem_table(launcher&, const problem&, const switches&);

// sorted.cu
void sorted(launcher&, const problem&, const switches&);

// warp_match.cu
void warp_match(launcher&, const problem&, const switches&);

}  // namespace ablate::voxel_mean
