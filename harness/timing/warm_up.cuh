#pragma once

#include "harness/timing/gpu_timing.cuh"

namespace ablate {

struct warm_up_result {
  int launches = 0;
  double launch_us = 0;  ///< of the last launches, back to back and without a flush: a first estimate
};

/// Launches until the launch time is steady (the medians of two consecutive groups of launches differ by less
/// than 1 %) or 50 ms have passed; two launches are enough where one takes longer than that. The region's
/// `ahead` precedes every launch here too. Loads the module and raises the clocks.
warm_up_result warm_up(const timed_region&, cudaStream_t, const device_limits&);

}  // namespace ablate
