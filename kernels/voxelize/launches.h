#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/voxelize/voxelize.h"

// The launch functions of voxelize, by the file that defines them.

namespace ablate::voxelize {

// clear_grid.cu
void clear_grid(launcher&, const problem&, const switches&);

// count_directly.cu
void count_directly(launcher&, const problem&, const switches&);

// count_in_pairs.cu
void count_in_pairs(launcher&, const problem&, const switches&);

// count_then_binarize.cu
void count_then_binarize(launcher&, const problem&, const switches&);

// mark_cells.cu
void mark_cells(launcher&, const problem&, const switches&);

// smem_bins.cu
void smem_bins(launcher&, const problem&, const switches&);

// smem_bins_one_launch.cu
void smem_bins_one_launch(launcher&, const problem&, const switches&);

// smem_bitmap.cu
void smem_bitmap(launcher&, const problem&, const switches&);

// smem_bricks.cu
void smem_bricks(launcher&, const problem&, const switches&);

// smem_hashed.cu
void smem_hashed(launcher&, const problem&, const switches&);

// smem_linear.cu
void smem_linear(launcher&, const problem&, const switches&);

// smem_point_cache.cu
void smem_point_cache(launcher&, const problem&, const switches&);

// smem_tiles.cu
void smem_tiles(launcher&, const problem&, const switches&);

// sorted.cu
void sorted(launcher&, const problem&, const switches&);

// warp_merge.cu
void warp_merge(launcher&, const problem&, const switches&);

}  // namespace ablate::voxelize
