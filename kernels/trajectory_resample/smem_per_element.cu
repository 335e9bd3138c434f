// per_element with the trajectory's times in shared memory, nothing else changed.
// Idea: the search's dependent reads wait for shared memory instead of L1 (L2 the first time); in return, the
// block copies all `samples` times for its 8 targets. Should move: stalls on L1 (long scoreboard) become
// stalls on shared memory (short scoreboard); L2 sectors, up by the copies; occupancy, down where 4 · samples
// bytes per block limit it.
#include "kernels/trajectory_resample/launches.h"
#include "kernels/trajectory_resample/searches.cuh"

namespace ablate::trajectory_resample {

template <class Element>
__global__ __launch_bounds__(block_threads) void search_shared_per_element(view<Element> v) {
  extern __shared__ float times[];
  resample_elements(v, staged_times(v, times));
}

void smem_per_element(launcher& to, const problem& p, const switches&) {
  with_element(p.type, [&](auto zero) {
    using Element = decltype(zero);
    launch(to, search_shared_per_element<Element>, grid_of(p, targets_per_block), dim3(block_threads),
           time_bytes(p), view<Element>(p));
  });
}

}  // namespace ablate::trajectory_resample
