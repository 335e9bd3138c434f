#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace ablate {

/// Bytes of L2 that are set aside for lines that a kernel's host code asked to stay, which ordinary traffic
/// does not evict; 0 where the device cannot.
std::size_t l2_set_aside();

/// Makes lines that were asked to stay ordinary ones, after all that is on the stream: waits for it.
void release_l2_lines(cudaStream_t);

/// The L2 set-aside before any case. What one case's code requests must not affect the next.
class l2_persistence {
 public:
  l2_persistence() : set_aside_(l2_set_aside()) {}
  /// Restores the set-aside, and resets the stream's window and the persisting lines. Waits for the stream.
  void restore(cudaStream_t) const;

 private:
  std::size_t set_aside_;
};

}  // namespace ablate
