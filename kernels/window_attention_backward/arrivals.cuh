// How a block learns that it is the last one to add to sums that several blocks share.
#pragma once

#include <cuda/atomic>

#include "kernels/window_attention_backward/view.cuh"

namespace ablate::window_attention_backward {

/// Of `blocks` that each call it once a launch with the same place (view::place_of_row of the first row) and
/// part, by one whole warp: true in the last one, which may then read what all of them have added before they
/// called, past L1. What counts as added before is what this warp's lanes did, and what they have seen others
/// of their block do: the release is cumulative. The last one also sets the count back to zero.
__device__ inline bool arrives_last(const view& v, unsigned place, unsigned part, unsigned blocks) {
  __syncwarp();
  unsigned before = 0;
  if (threadIdx.x % 32 == 0) {
    const cuda::atomic_ref<unsigned, cuda::thread_scope_device> arrivals(
        v.arrivals[place / rows_of_arrivals * arrivals_of_rows + part]);
    before = arrivals.fetch_add(1, cuda::memory_order_acq_rel);
    if (before + 1 == blocks) arrivals.store(0, cuda::memory_order_relaxed);
  }
  before = __shfl_sync(~0u, before, 0);
  __syncwarp();
  return before + 1 == blocks;
}

}  // namespace ablate::window_attention_backward
