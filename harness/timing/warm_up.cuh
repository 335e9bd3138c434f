#pragma once

#include "harness/timing/gpu_timing.cuh"

namespace ablate {

struct warm_up_result {
  int launches = 0;
  double launch_us = 0;  ///< of the last launches: a first idea of the time, back to back and without a flush
};

/// Launches until the time of a launch is steady: the medians of two consecutive groups of launches differ by
/// less than 1 %, or 50 ms have passed. What goes ahead of the region goes ahead of every launch here too.
/// Loads the module, raises the clocks.
warm_up_result warm_up(const timed_region&, cudaStream_t, const device_limits&);

}  // namespace ablate
