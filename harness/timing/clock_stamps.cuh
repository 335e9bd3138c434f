#pragma once

#include <cuda_runtime.h>

#include <vector>

#include "harness/device/cuda_memory.cuh"
#include "harness/timing/steady_clock.h"

namespace ablate {

/// One SM's cycles and the global timer, read together; 0 ns if not read.
struct clock_stamp {
  unsigned long long cycles, nanoseconds;
};

/// Records the SM clock during sampling: tiny kernels before and after each sample read one SM's cycles and
/// the global timer. Neither runs between a sample's launches or between its events.
class clock_stamps {
 public:
  clock_stamps(int samples, int multiprocessors);

  /// Enqueues the stamp before or after sample number `sample`.
  void before(cudaStream_t, int sample) const;
  void after(cudaStream_t, int sample) const;
  /// The total over all samples since the last call that have both stamps. Waits for the stream.
  counted_cycles counted(cudaStream_t);

 private:
  void enqueue(cudaStream_t, std::size_t place) const;
  void forget(cudaStream_t) const;

  int multiprocessors_;
  device_memory on_device_;
  std::vector<clock_stamp> stamps_;  ///< before and after each sample
};

}  // namespace ablate
