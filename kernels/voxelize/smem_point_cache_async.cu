// Double-buffered point cache with cp.async: 16 bytes per thread from device to shared memory, bypassing
// registers, for the next tile of 256 points while this one is counted. Should move, against
// smem_point_cache_flat: stalls on loads (long scoreboard) and barriers; the reductions are the same.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/point_stages.cuh"

namespace ablate::voxelize {

void smem_point_cache_async(launcher& to, const problem& p, const switches&) {
  launch_stages<copies_by_threads>(to, p);
}

}  // namespace ablate::voxelize
