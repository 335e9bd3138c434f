#pragma once

#include <cuda_runtime.h>

namespace ablate::timed_outputs_test {

constexpr unsigned numbers = 1 << 22;  // rotating takes some six sets of buffers

/// When a launch writes wrong numbers, and when none at all.
struct fault {
  unsigned wrong_from = ~0u, idle_from = ~0u;  ///< by the number of launches before
  bool drains = false;                         ///< idle once `queue` is empty
};

/// Writes twice the numbers, or adds them to what is there.
__global__ void double_numbers(const unsigned* in, unsigned* out, const unsigned* queue, bool adds, fault f);

/// Counts a launch, and takes the work from the queue. One thread.
__global__ void count_launch(unsigned* queue);

/// No launch was before.
cudaError_t forget_launches();

}  // namespace ablate::timed_outputs_test
