#pragma once

#include <cuda_runtime.h>

namespace ablate::test_support::dependent_launch_test {

constexpr int late_threads = 512;

/// One block: lets the next kernel begin, waits, copies.
__global__ void copy_late(const uint4* from, uint4* to, long long count, long long wait_ns);

}  // namespace ablate::test_support::dependent_launch_test
