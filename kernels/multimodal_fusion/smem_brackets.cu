// one_launch with the brackets (i, α) of a target's three streams in shared memory instead of registers and
// shuffles: 24 threads of the block search, one target and stream each; after a barrier each warp takes its
// target.
// Idea: the searches of eight targets fill one warp instead of three lanes in each of eight. Should move:
// instructions issued by searches, down; one barrier for all warps is new.
#include "kernels/multimodal_fusion/parts.h"
#include "kernels/multimodal_fusion/view.cuh"

namespace ablate::multimodal_fusion {

template <class Element>
__global__ __launch_bounds__(block_threads) void fuse_through_brackets(view<Element> v) {
  __shared__ bracket brackets[brackets_per_block];
  v.fuse_block(brackets, [&](int s) { return v.streams[s].times_of(blockIdx.y); });
}

void fuse_by_brackets(launcher& to, const problem& p) {
  trajectory_resample::with_element(p.type, [&](auto zero) {
    using Element = decltype(zero);
    launch(to, fuse_through_brackets<Element>, grid_of(p), dim3(block_threads), 0, view<Element>(p));
  });
}

}  // namespace ablate::multimodal_fusion
