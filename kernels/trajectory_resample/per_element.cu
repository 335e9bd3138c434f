// One thread per element of the output; each locates its target among the samples on its own.
//   out[b][τ][c] = (1 − α) · source[b][i][c] + α · source[b][i + 1][c], with i and α of trajectory_resample.h
// Layout: channels contiguous, so that a warp reads and writes whole rows; times in device memory.
// Idea: none, which is the point: `channels` threads do the same binary search of ⌈log₂ samples⌉ dependent
// reads. All threads of a target read the same words, so the reads hit L1, but each search is issued again.
// Should move: instructions issued, and L1 latency (long scoreboard), up with the channels.
// With `smem` the trajectory's times are in shared memory, nothing else changed: the reads wait for that
// instead of L1 (L2 the first time); in return, the block copies all `samples` times for its 8 targets.
// Should move: stalls on L1 become stalls on shared memory (short scoreboard); L2 sectors, up by the copies;
// occupancy, down where 4 · samples bytes per block limit it.
#include "kernels/common/switches.h"
#include "kernels/trajectory_resample/launches.h"
#include "kernels/trajectory_resample/searches.cuh"

namespace ablate::trajectory_resample {

template <class Element>
__global__ __launch_bounds__(block_threads) void search_per_element(view<Element> v) {
  resample_elements(v, v.times_of(blockIdx.y));
}

template <class Element>
__global__ __launch_bounds__(block_threads) void search_shared_per_element(view<Element> v) {
  extern __shared__ float times[];
  resample_elements(v, staged_times(v, times));
}

void per_element(launcher& to, const problem& p, const switches& s) {
  const bool in_shared = s.is_on("smem");
  with_element(p.type, [&](auto zero) {
    using Element = decltype(zero);
    launch(to, in_shared ? search_shared_per_element<Element> : search_per_element<Element>,
           grid_of(p, targets_per_block), dim3(block_threads), in_shared ? time_bytes(p) : 0,
           view<Element>(p));
  });
}

}  // namespace ablate::trajectory_resample
