#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace ablate::gpu_timing_test {

/// Reads all words; `sum` is written by a thread whose own comes to a number that none comes to.
__global__ void sum_words(const uint4* words, std::size_t count, unsigned* sum);

}  // namespace ablate::gpu_timing_test
