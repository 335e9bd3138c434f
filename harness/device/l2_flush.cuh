#pragma once

#include "harness/device/cuda_memory.cuh"

namespace ablate {

/// Empties L2 to the state `cold-clean`: nothing of the operation's data is in it and none of its lines is
/// dirty. Writes twice the size of L2, then reads twice the size of L2 of another buffer: a flush that only
/// writes leaves dirty lines whose eviction is charged to the kernel under test (up to 27 % of its time on an
/// H200). Where a part of L2 is set aside for lines that are to stay, those are let go first.
class l2_flush {
 public:
  /// `l2_bytes` of the device. Throws out_of_memory.
  explicit l2_flush(std::size_t l2_bytes);
  /// Waits for the stream where a part of L2 is set aside.
  void enqueue(cudaStream_t) const;

 private:
  device_memory written_, read_;
};

}  // namespace ablate
