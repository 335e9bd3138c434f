// Division by a known number, against what it has to be: significands alone, as exponents change nothing
// between the limits of divisor.h.
#include "harness/device/cuda_memory.cuh"
#include "kernels/common/divisor.h"
#include "tests/support/gpu.cuh"

namespace ablate {
namespace {

constexpr unsigned significands = 1u << 23;
constexpr int threads = 256;

/// A block divides everything by one significand in `stride`. The quotient q of x and y is rounded to nearest
/// where |x − q·y| ≤ y·u/2, u being the weight of q's last bit: both sides are exact, and no quotient lies in
/// the middle between two floats.
__global__ __launch_bounds__(threads) void count_wrong_quotients(unsigned stride, unsigned long long* wrong) {
  const divisor by(__uint_as_float(0x3f800000u | blockIdx.x * stride));
  const float bound_below_one = by.value * 0x1p-25f, bound_from_one = by.value * 0x1p-24f;  // of the quotient
  unsigned found = 0;
  for (unsigned i = threadIdx.x; i < significands; i += threads) {
    const float dividend = __uint_as_float(0x3f800000u | i);
    const float residual = fabsf(fmaf(-by.divide(dividend), by.value, dividend));
    if (!(residual <= (dividend < by.value ? bound_below_one : bound_from_one))) ++found;
  }
  if (found != 0) atomicAdd(wrong, found);
}

class DivisorOnGpu : public test_support::gpu_test {
 protected:
  static unsigned long long wrong_quotients(unsigned stride) {
    const device_memory wrong(sizeof(unsigned long long));
    ABLATE_CUDA_CHECK(cudaMemset(wrong.address(), 0, wrong.bytes()));
    auto* const count = static_cast<unsigned long long*>(wrong.address());
    count_wrong_quotients<<<(significands + stride - 1) / stride, threads>>>(stride, count);
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
}  // namespace ablate
