// Voxel staging engineered: a direct-mapped table of (cell, count) in shared memory, one access per point
// instead of a scan; a point whose slot belongs to another cell counts in device memory. Should move: L2
// reduction sectors, down by the number of points that share a cell within a block's points; shared atomics,
// up. `launch=overlapped`: tables are filled while the grid is still being cleared.
#include "kernels/voxelize/hashed_table.cuh"
#include "kernels/voxelize/launches.h"

namespace ablate::voxelize {

void smem_hashed(launcher& to, const problem& p, const switches& s) {
  launch_table<table_config{}>(to, p, s);
}

}  // namespace ablate::voxelize
