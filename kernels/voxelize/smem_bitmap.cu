// Occupancy by a bitmap in shared memory, private to a block: 64³ cells take 32 KiB; 128³ (256 KiB) take two
// slabs, and the points are read twice. Should move, against plain_store: write sectors, down to those with
// marks, once per block; shared atomics, up.
#include "kernels/voxelize/bitmap.cuh"
#include "kernels/voxelize/launches.h"

namespace ablate::voxelize {

void smem_bitmap(launcher& to, const problem& p, const switches&) { launch_bitmap<1>(to, p); }

}  // namespace ablate::voxelize
