#pragma once

#include <functional>

#include "harness/timing/gpu_timing.cuh"

namespace ablate {

/// Times the region with a spin kernel at the end of every sample, so long that the sample takes `pct`
/// percent more than without. `time` takes the samples of a region; it is called for the region as it is, for
/// a first guess of the spin (what launching one more kernel costs shows there), and for the result.
timed time_delayed(const timed_region&, cudaStream_t, double pct,
                   const std::function<timed(const timed_region&)>& time);

}  // namespace ablate
