// Rows as int8 against what they were made of: each mean, number, scale and offset. Nothing here is measured.
#include "kernels/compression_attention/quantized_view.cuh"
#include "oracles/compression_attention/launches.h"

namespace ablate::compression_attention {

__global__ void clear_int8_findings(int8_findings* found) { *found = {0, 0, ~0ull, 0}; }

__device__ inline double element_of(const uint4* rows, long long row, int element) {
  return static_cast<double>(
      __bfloat162float(reinterpret_cast<const __nv_bfloat16*>(rows)[row * width + element]));
}

/// blockIdx: an element of a head's mean.
__global__ __launch_bounds__(quantizing_threads) void judge_mean_of_keys(
    const __grid_constant__ quantized_view v, int8_findings* found) {
  __shared__ double sums[quantizing_threads], absolutes[quantizing_threads];
  const int element = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  const long long head = blockIdx.y;
  double sum = 0, absolute = 0;
  for (long long row = thread; row < v.rows; row += quantizing_threads) {
    const double x = element_of(v.k, head * v.rows + row, element);
    sum += x;
    absolute += fabs(x);
  }
  sums[thread] = sum;
  absolutes[thread] = absolute;
  __syncthreads();
  if (thread != 0) return;
  for (int i = 1; i < quantizing_threads; ++i) {
    sum += sums[i];
    absolute += absolutes[i];
  }
  const auto rows = static_cast<double>(v.rows);
  const double off = fabs(static_cast<double>(v.mean[head * width + element]) - sum / rows);
  // fp32 sums of at most 32 rows a thread, and then of a few hundred parts.
  if (!(off <= 0x1p-16 * absolute / rows)) atomicAdd(&found->wrong_means, 1ull);
}

/// A block of threads a query block, or a box of keys; a thread a row.
template <quantized_rows Rows>
__global__ __launch_bounds__(kept_blocks::queries) void judge_rows(const __grid_constant__ quantized_view v,
                                                                   int8_findings* found) {
  constexpr bool of_queries = Rows == quantized_rows::queries;
  const long long head = blockIdx.y, box = blockIdx.x;
  const bool is_in_blocks = of_queries || box < v.blocks.key_blocks();
  const long long first = of_queries ? box * kept_blocks::queries : v.blocks.first_of_box(box);
  const long long scaled_end = is_in_blocks ? v.blocks.rows : v.rows,
                  end = of_queries ? v.query_rows : scaled_end;
  const long long row = first + threadIdx.x;
  const bool is_there = row < end && (of_queries || threadIdx.x < kept_blocks::keys);
  const auto x = [&](int d) {
    const auto value = static_cast<float>(element_of(of_queries ? v.q : v.k, head * v.rows + row, d));
    return of_queries ? value : value - v.mean[head * width + d];
  };
  float mine = 0;
  for (int d = 0; is_there && row < scaled_end && d < width; ++d) mine = fmaxf(mine, fabsf(x(d)));
  const float greatest = greatest_of_block(mine);
  bool is_right = true;
  double product = 0, bound = 0;
  for (int d = 0; is_there && d < width; ++d) {
    const std::int8_t number = (of_queries ? v.to.q : v.to.k)[(head * v.rows + row) * width + d];
    is_right = is_right && number == int8_number(x(d), greatest);
    const double of_mean = static_cast<double>(x(d)) * static_cast<double>(v.mean[head * width + d]);
    product += of_mean;
    bound += fabs(of_mean);
  }
  if (of_queries && is_there) {
    const double off = fabs(static_cast<double>(v.to.offsets[head * v.rows + row]) - product / 8);
    is_right = is_right && off <= 0x1p-18 * bound;
  }
  const float scale = of_queries ? v.to.q_scales[head * v.blocks.query_blocks() + box]
                                 : v.to.k_scales[head * v.blocks.boxes(v.rows) + box];
  const bool all_right = __syncthreads_and(is_right && scale == int8_scale(greatest)) != 0;
  if (threadIdx.x != 0) return;
  atomicAdd(&found->judged, 1ull);
  if (all_right) return;
  atomicAdd(&found->wrong, 1ull);
  const long long number = of_queries
                               ? head * v.blocks.query_blocks() + box
                               : v.heads * v.blocks.query_blocks() + head * v.blocks.boxes(v.rows) + box;
  atomicMin(&found->first_wrong, static_cast<unsigned long long>(number));
}

void judge_int8_rows(launcher& to, const quantization& of, int8_findings* found) {
  const quantized_view v(of);
  const dim3 threads(kept_blocks::queries);
  launch(to, clear_int8_findings, dim3(1), dim3(1), 0, found);
  launch(to, judge_mean_of_keys, grid_of_blocks(width, v.heads), dim3(quantizing_threads), 0, v, found);
  launch(to, judge_rows<quantized_rows::queries>, grid_of_blocks(v.blocks.query_blocks(), v.heads), threads,
         0, v, found);
  launch(to, judge_rows<quantized_rows::keys>, grid_of_blocks(v.blocks.boxes(v.rows), v.heads), threads, 0, v,
         found);
}

}  // namespace ablate::compression_attention
