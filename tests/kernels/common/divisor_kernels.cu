#include "tests/kernels/common/divisor_kernels.cuh"

#include "kernels/common/divisor.h"

namespace ablate::divisor_test {
namespace {

constexpr unsigned significands = 1u << 23;
constexpr int threads = 256;

/// A block divides everything by one significand in `stride`. The quotient q of x and y is rounded to nearest
/// where |x − q·y| ≤ y·u/2, u being the weight of q's last bit: both sides are exact, and no quotient is
/// halfway between two floats.
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

}  // namespace

void add_wrong_quotients(unsigned stride, unsigned long long* wrong) {
  count_wrong_quotients<<<(significands + stride - 1) / stride, threads>>>(stride, wrong);
}

}  // namespace ablate::divisor_test
