#include "tests/kernels/common/packed_exp2_kernels.cuh"

#include "kernels/common/packed_exp2.cuh"

namespace ablate::packed_exp2_gpu_test {
namespace {

constexpr int threads = 256;

__global__ __launch_bounds__(threads) void take_power(const float2* scores, unsigned* powers, int count,
                                                      float c, float subtracted) {
  const int i = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (i >= count) return;
  powers[i] = exponent_pairs(c).powers_of(scores[i].x, scores[i].y, exponent_pairs::offset_of(subtracted));
}

}  // namespace

void take_powers(const float2* scores, unsigned* powers, int count, float c, float subtracted) {
  take_power<<<(count + threads - 1) / threads, threads>>>(scores, powers, count, c, subtracted);
}

}  // namespace ablate::packed_exp2_gpu_test
