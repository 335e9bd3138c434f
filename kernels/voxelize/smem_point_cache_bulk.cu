// Double-buffered point cache with bulk copies: one thread issues the next tile of 256 points as one copy of
// 3 KiB (cp.async.bulk, Hopper), whose completion is signaled on a barrier in shared memory. Should move,
// against smem_point_cache_async: load instructions, to one per tile.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/point_stages.cuh"

namespace ablate::voxelize {

void smem_point_cache_bulk(launcher& to, const problem& p, const switches&) {
  launch_stages<copies_in_bulk>(to, p);
}

}  // namespace ablate::voxelize
