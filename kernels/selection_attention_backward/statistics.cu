// Δ = the row sums of dO∘O, and the log-sum-exp in base 2: the inputs of P and dS per query. Eight lanes per
// row, 16 bytes of each tensor per lane.
//   Gated, in the same pass: dγ_s = Δ, dγ_c = ⟨dO, C⟩ and dC = Σ γ_c·dO, a warp a block of queries, four rows
// at a time; and log2 γ_s is subtracted, which scales P and dS by γ_s, so no scaled dO is written. Should
// move: DRAM reads, O and dO once.
#include "kernels/selection_attention_backward/row_chunk.cuh"

namespace ablate::selection_attention_backward {

constexpr int statistics_threads = 256;

/// ⟨a, b⟩ of whole rows, in all eight lanes of a row. The whole warp calls it.
__device__ float product_of_rows(const row_chunk& a, const row_chunk& b) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum = fmaf(a[i], b[i], sum);
#pragma unroll
  for (int other = lanes_of_row / 2; other > 0; other /= 2) sum += __shfl_xor_sync(~0u, sum, other);
  return sum;
}

__global__ __launch_bounds__(statistics_threads) void sum_products(const __grid_constant__ view v) {
  // 64 rows at a time, and a head has a multiple of 16: a warp's four rows are there or none is.
  const long long row =
      (blockIdx.x * static_cast<long long>(statistics_threads) + threadIdx.x) / lanes_of_row;
  if (row >= v.attention.heads * v.attention.tokens) return;
  const int chunk = static_cast<int>(threadIdx.x) % lanes_of_row;
  const float delta = product_of_rows(row_chunk(v.out_gradient + row * row_bytes, chunk),
                                      row_chunk(v.attention.out + row * row_bytes, chunk));
  if (chunk == 0) v.statistics[row] = {v.attention.lse[row] * log2_of_e, delta};
}

/// A warp a block of queries.
__global__ __launch_bounds__(statistics_threads) void sum_gated_products(const __grid_constant__ view v) {
  const long long block = (blockIdx.x * static_cast<long long>(statistics_threads) + threadIdx.x) / 32;
  if (block >= v.rows) return;
  constexpr int rows_at_once = 32 / lanes_of_row;
  const int lane = static_cast<int>(threadIdx.x) % 32, chunk = lane % lanes_of_row;
  const int rows_of_block = tile << v.attention.log2_in_block;
  const long long head = block / v.attention.blocks, first = block * rows_of_block;
  const row_chunk compressed(v.attention.compressed + block * row_bytes, chunk);
  float sums[8] = {};
  for (int i = lane / lanes_of_row; i < rows_of_block; i += rows_at_once) {
    const long long row = first + i;
    const long long gate = (row - head * v.attention.tokens) * v.attention.heads + head;
    const float2 gates = __ldg(v.attention.gates + gate);
    const row_chunk gradient(v.out_gradient + row * row_bytes, chunk);
    const float of_selected = product_of_rows(gradient, row_chunk(v.attention.out + row * row_bytes, chunk));
    const float of_compressed = product_of_rows(gradient, compressed);
#pragma unroll
    for (int k = 0; k < 8; ++k) sums[k] = fmaf(gates.x, gradient[k], sums[k]);
    if (chunk == 0) {
      v.statistics[row] = {v.attention.lse[row] * log2_of_e - log2f(gates.y), of_selected};
      v.gate_gradients[gate] = make_float2(of_compressed, of_selected);
    }
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    sums[k] += __shfl_xor_sync(~0u, sums[k], 8);
    sums[k] += __shfl_xor_sync(~0u, sums[k], 16);
  }
  if (lane < lanes_of_row)
    reinterpret_cast<uint4*>(v.compressed_gradient + block * row_bytes)[chunk] = {
        packed(sums[0], sums[1]), packed(sums[2], sums[3]), packed(sums[4], sums[5]),
        packed(sums[6], sums[7])};
}

void compute_statistics(launcher& to, const view& v) {
  if (v.is_gated)
    launch(to, sum_gated_products, dim3(blocks_for(v.rows * 32, statistics_threads)),
           dim3(statistics_threads), 0, v);
  else
    launch(to, sum_products,
           dim3(blocks_for(v.attention.heads * v.attention.tokens * lanes_of_row, statistics_threads)),
           dim3(statistics_threads), 0, v);
}

}  // namespace ablate::selection_attention_backward
