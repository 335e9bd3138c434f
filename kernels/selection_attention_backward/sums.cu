// fp32 sums that reductions left, to bf16 rows: 8 elements a thread. Should move: DRAM bytes, six an element.
#include "kernels/common/softmax_math.cuh"
#include "kernels/selection_attention_backward/view.cuh"

namespace ablate::selection_attention_backward {

constexpr int rounding_threads = 256;

__global__ __launch_bounds__(rounding_threads) void round_to_rows(const float4* sums, uint4* to,
                                                                  long long chunks, float factor) {
  const long long i = blockIdx.x * static_cast<long long>(rounding_threads) + threadIdx.x;
  if (i >= chunks) return;
  const float4 low = sums[2 * i], high = sums[2 * i + 1];
  to[i] = {packed(low.x * factor, low.y * factor), packed(low.z * factor, low.w * factor),
           packed(high.x * factor, high.y * factor), packed(high.z * factor, high.w * factor)};
}

void round_sums(launcher& to, const float* sums, unsigned char* rows, long long elements, float factor) {
  launch(to, round_to_rows, dim3(blocks_for(elements / 8, rounding_threads)), dim3(rounding_threads), 0,
         reinterpret_cast<const float4*>(sums), reinterpret_cast<uint4*>(rows), elements / 8, factor);
}

}  // namespace ablate::selection_attention_backward
