// One search per target, by the first lane of a warp, which broadcasts the result with shuffles; then the
// warp loops over the channels. Times in device memory, no shared memory.
// Idea: what per_element does `channels` times is done once. Should move: instructions issued, down by nearly
// the searches' share; the rows' loads and stores are the same.
// With `smem` the trajectory's times are in shared memory, nothing else changed. As in per_element.cu, but
// only one lane in 32 searches: copying all times, and a barrier, against nine or so dependent reads. Should
// move: L1 stalls of the search, down; L2 sectors, up by the copies where there are many blocks and samples.
#include "kernels/common/switches.h"
#include "kernels/trajectory_resample/launches.h"
#include "kernels/trajectory_resample/searches.cuh"

namespace ablate::trajectory_resample {

template <class Element>
__global__ __launch_bounds__(block_threads) void search_per_target(view<Element> v) {
  resample_by_warps(v, v.times_of(blockIdx.y));
}

template <class Element>
__global__ __launch_bounds__(block_threads) void search_shared_per_target(view<Element> v) {
  extern __shared__ float times[];
  resample_by_warps(v, staged_times(v, times));
}

void per_target(launcher& to, const problem& p, const switches& s) {
  const bool in_shared = s.is_on("smem");
  with_element(p.type, [&](auto zero) {
    using Element = decltype(zero);
    launch(to, in_shared ? search_shared_per_target<Element> : search_per_target<Element>,
           grid_of(p, targets_per_block), dim3(block_threads), in_shared ? time_bytes(p) : 0,
           view<Element>(p));
  });
}

}  // namespace ablate::trajectory_resample
