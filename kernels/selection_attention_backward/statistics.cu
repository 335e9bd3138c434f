// Δ = the row sums of dO∘O, beside the log-sum-exp in base 2: what P and dS need of each query. Eight lanes a
// row, 16 bytes of each tensor a lane. Should move: DRAM reads, O and dO once.
#include "kernels/selection_attention_backward/view.cuh"

namespace ablate::selection_attention_backward {

constexpr int statistics_threads = 256, lanes_of_row = 8;

__global__ __launch_bounds__(statistics_threads) void sum_products(const __grid_constant__ view v) {
  const long long chunk = blockIdx.x * static_cast<long long>(statistics_threads) + threadIdx.x;
  const long long row = chunk / lanes_of_row;
  const bool is_there = row < v.attention.heads * v.attention.tokens;
  float sum = 0;
  if (is_there) {
    const uint4 gradient = __ldg(reinterpret_cast<const uint4*>(v.out_gradient) + chunk),
                out = __ldg(reinterpret_cast<const uint4*>(v.attention.out) + chunk);
    const auto add = [&](unsigned a, unsigned b) {
      sum = fmaf(__uint_as_float(a << 16), __uint_as_float(b << 16), sum);
      sum = fmaf(__uint_as_float(a & 0xffff0000u), __uint_as_float(b & 0xffff0000u), sum);
    };
    add(gradient.x, out.x);
    add(gradient.y, out.y);
    add(gradient.z, out.z);
    add(gradient.w, out.w);
  }
#pragma unroll
  for (int other = lanes_of_row / 2; other > 0; other /= 2) sum += __shfl_xor_sync(~0u, sum, other);
  if (!is_there || threadIdx.x % lanes_of_row != 0) return;
  constexpr float log2_of_e = 1.44269504088896f;
  v.statistics[row] = {v.attention.lse[row] * log2_of_e, sum};
}

void compute_statistics(launcher& to, const view& v) {
  launch(to, sum_products,
         dim3(blocks_for(v.attention.heads * v.attention.tokens * lanes_of_row, statistics_threads)),
         dim3(statistics_threads), 0, v);
}

}  // namespace ablate::selection_attention_backward
