// Occupancy by a bitmap shared by the two blocks of a cluster: each holds the bits of half of the cells and
// sets bits in the other's shared memory (distributed shared memory, Hopper). 128³ cells fit without slabs.
// Should move, against smem_bitmap on such grids: load sectors, down by half, since the points are read once;
// remote shared atomics and cluster barriers, up.
#include "kernels/voxelize/bitmap.cuh"
#include "kernels/voxelize/launches.h"

namespace ablate::voxelize {

void smem_bitmap_cluster(launcher& to, const problem& p, const switches&) { launch_bitmap<2>(to, p); }

}  // namespace ablate::voxelize
