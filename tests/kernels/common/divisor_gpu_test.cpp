// Division by a known number, against what it has to be.
#include "harness/device/cuda_memory.cuh"
#include "tests/kernels/common/divisor_kernels.cuh"
#include "tests/support/gpu.cuh"

namespace ablate::divisor_test {
namespace {

class DivisorOnGpu : public test_support::gpu_test {
 protected:
  static unsigned long long wrong_quotients(unsigned stride) {
    const device_memory wrong(sizeof(unsigned long long));
    ABLATE_CUDA_CHECK(cudaMemset(wrong.address(), 0, wrong.bytes()));
    auto* const count = static_cast<unsigned long long*>(wrong.address());
    add_wrong_quotients(stride, count);
    ABLATE_CUDA_CHECK(cudaGetLastError());
    unsigned long long found = 0;
    ABLATE_CUDA_CHECK(cudaMemcpy(&found, count, sizeof found, cudaMemcpyDeviceToHost));
    return found;
  }
};

TEST_F(DivisorOnGpu, RoundsAsADivisionDoesForEverySignificandOfTheDividend) {
  EXPECT_EQ(wrong_quotients(61), 0u);
}

// All 2^46 of them, which takes longer than a test should.
TEST_F(DivisorOnGpu, DISABLED_RoundsAsADivisionDoesForEveryPairOfSignificands) {
  EXPECT_EQ(wrong_quotients(1), 0u);
}

}  // namespace
}  // namespace ablate::divisor_test
