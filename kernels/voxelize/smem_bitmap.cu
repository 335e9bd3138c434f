// Occupancy by a bitmap in shared memory, private to a block: 64³ cells take 32 KiB; 128³ (256 KiB) take two
// slabs, and the points are read twice. Should move, against plain_store: write sectors, down to those with
// marks, once per block; shared atomics, up.
//   cluster=2  a bitmap shared by the two blocks of a cluster: each holds the bits of half of the cells and
//              sets bits in the other's shared memory (distributed shared memory, Hopper). 128³ cells fit
//              without slabs. Should move, on such grids: load sectors, down by half, since the points are
//              read once; remote shared atomics and cluster barriers, up.
#include "kernels/voxelize/bitmap.cuh"
#include "kernels/voxelize/launches.h"

namespace ablate::voxelize {

void smem_bitmap(launcher& to, const problem& p, const switches& s) {
  (s.has("cluster") ? launch_bitmap<2> : launch_bitmap<1>)(to, p);
}

}  // namespace ablate::voxelize
