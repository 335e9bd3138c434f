// One search per target, by the first lane of a warp, which broadcasts the result with shuffles; then the
// warp loops over the channels. Times in device memory, no shared memory.
// Idea: what per_element does `channels` times is done once. Should move: instructions issued, down by nearly
// the searches' share; the rows' loads and stores are the same.
#include "kernels/trajectory_resample/launches.h"
#include "kernels/trajectory_resample/searches.cuh"

namespace ablate::trajectory_resample {

template <class Element>
__global__ __launch_bounds__(block_threads) void search_per_target(view<Element> v) {
  resample_by_warps(v, v.times_of(blockIdx.y));
}

void per_target(launcher& to, const problem& p, const switches&) {
  with_element(p.type, [&](auto zero) {
    using Element = decltype(zero);
    launch(to, search_per_target<Element>, grid_of(p, targets_per_block), dim3(block_threads), 0,
           view<Element>(p));
  });
}

}  // namespace ablate::trajectory_resample
