#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "harness/counters/timeline.h"
#include "harness/device/cuda_memory.cuh"

namespace ablate {

/// Kernels that note the device's global timer, and one that samples show: it keeps every multiprocessor busy
/// between idle times, by which the samples' clock is set.
class device_marks {
 public:
  /// Room for so many stamps. Loads the kernels and waits: code is loaded at its first launch, and compiled
  /// there where a build holds only PTX, which must not happen while samples are taken.
  device_marks(int device, std::size_t stamps);

  /// A marker of this length, after `before_ns` of idle time and followed by its own length of idle time.
  void enqueue_marker(cudaStream_t, unsigned long long before_ns, unsigned long long marker_ns) const;
  void enqueue_stamp(cudaStream_t, std::size_t place) const;

  // Once the stream is idle.
  marker_times marker() const;
  std::vector<std::uint64_t> stamps() const;

 private:
  std::vector<std::uint64_t> read(std::size_t first, std::size_t count) const;

  int multiprocessors_ = 0;
  device_memory times_;  ///< the marker's start and end, then the stamps
};

}  // namespace ablate
