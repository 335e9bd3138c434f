#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "harness/device/compiled_capability.h"
#include "tests/support/capability.h"

namespace ablate::test_support {

/// What kernels of this build can use of the first GPU. Asked for once: the driver takes its time.
inline int compute_capability_in_use() {
  static const int found = [] {
    int major = 0, minor = 0;
    EXPECT_EQ(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
    EXPECT_EQ(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0), cudaSuccess);
    return usable_capability(10 * major + minor);
  }();
  return found;
}

/// Skips its tests, with the reason, where there is no GPU.
class gpu_test : public ::testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0)
      ABLATE_LACKS("gpu", status == cudaSuccess ? "CUDA counts no device" : cudaGetErrorString(status));
  }

  /// Asked for once: tests want them before every launch, and the driver takes its time.
  static const cudaDeviceProp& properties() {
    static const cudaDeviceProp found = [] {
      cudaDeviceProp p{};
      EXPECT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
      return p;
    }();
    return found;
  }

  static int compute_capability() { return compute_capability_in_use(); }
};

}  // namespace ablate::test_support
