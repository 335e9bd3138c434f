#pragma once

#include <functional>

#include "harness/timing/gpu_timing.cuh"

namespace ablate {

/// Times the region with a spin kernel at the end of every sample, sized so that the sample takes `pct`
/// percent longer. `time` samples a region; it is called for the unmodified region, for a first guess of the
/// spin (which reveals the cost of launching one more kernel), and for the result.
timed time_delayed(const timed_region&, cudaStream_t, double pct,
                   const std::function<timed(const timed_region&)>& time);

}  // namespace ablate
