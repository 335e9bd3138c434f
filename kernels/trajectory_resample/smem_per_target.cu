// per_target with the trajectory's times in shared memory, nothing else changed.
// Idea: as in smem_per_element, but only one lane in 32 searches: copying all times, and a barrier, against
// nine or so dependent reads. Should move: L1 stalls of the search, down; L2 sectors, up by the copies where
// there are many blocks and samples.
#include "kernels/trajectory_resample/launches.h"
#include "kernels/trajectory_resample/searches.cuh"

namespace ablate::trajectory_resample {

template <class Element>
__global__ __launch_bounds__(block_threads) void search_shared_per_target(view<Element> v) {
  extern __shared__ float times[];
  resample_by_warps(v, staged_times(v, times));
}

void smem_per_target(launcher& to, const problem& p, const switches&) {
  with_element(p.type, [&](auto zero) {
    using Element = decltype(zero);
    launch(to, search_shared_per_target<Element>, grid_of(p, targets_per_block), dim3(block_threads),
           time_bytes(p), view<Element>(p));
  });
}

}  // namespace ablate::trajectory_resample
