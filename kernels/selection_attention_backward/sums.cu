// fp32 sums that reductions left, to bf16 rows: 8 elements a thread, and what its token gets of its block's
// pooled row. Should move: DRAM bytes, six an element.
#include "kernels/common/softmax_math.cuh"
#include "kernels/selection_attention_backward/row_chunk.cuh"

namespace ablate::selection_attention_backward {

constexpr int rounding_threads = 256;

__global__ __launch_bounds__(rounding_threads) void round_to_rows(const __grid_constant__ view v,
                                                                  const float4* sums, uint4* to, int which,
                                                                  float factor) {
  const long long i = blockIdx.x * static_cast<long long>(rounding_threads) + threadIdx.x;
  if (i >= v.elements() / 8) return;
  const long long block = (i / lanes_of_row / tile) >> v.attention.log2_in_block;
  const row_chunk added(v.pooled_row(which, block), static_cast<int>(i % lanes_of_row));
  to[i] = added.share_and_sums(v.share, sums[2 * i], sums[2 * i + 1], factor);
}

void round_sums(launcher& to, const view& v, const float* sums, unsigned char* rows, int which,
                float factor) {
  launch(to, round_to_rows, dim3(blocks_for(v.elements() / 8, rounding_threads)), dim3(rounding_threads), 0,
         v, reinterpret_cast<const float4*>(sums), reinterpret_cast<uint4*>(rows), which, factor);
}

}  // namespace ablate::selection_attention_backward
