#pragma once

#include <cuda_runtime.h>

namespace ablate::sampled_gpu_test {

/// Every thread waits for so long; the first writes 7.
__global__ void occupy(unsigned* out, unsigned long long nanoseconds);

}  // namespace ablate::sampled_gpu_test
