// Rows of q and k as int8, with the mean of k taken from its rows.
//   m: sums of 1024 rows a block of threads, 64 elements wide, then one block a head adds them up in their
//   order: the same bits each time. Numbers: a block of threads has the 128 or 64 rows that share a scale,
//   eight lanes a row, all of them in registers between the greatest |x| and the numbers, so that q is read
//   once and k twice in all.
// Should move: DRAM bytes; those, and nothing else.
#include "kernels/compression_attention/quantized_view.cuh"

namespace ablate::compression_attention {

constexpr int lanes_of_row = 8, row_elements_of_lane = 8;
constexpr int rows_at_once = quantizing_threads / lanes_of_row;

__device__ inline void widen_piece(const uint4& piece, float (&to)[row_elements_of_lane]) {
  const unsigned words[] = {piece.x, piece.y, piece.z, piece.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    to[2 * i] = __uint_as_float(words[i] << 16);
    to[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
  }
}

/// blockIdx: chunk of rows, head.
__global__ __launch_bounds__(quantizing_threads) void sum_keys(const __grid_constant__ quantized_view v) {
  __shared__ float of_rows[rows_at_once][width];
  const int thread = static_cast<int>(threadIdx.x), row_of_block = thread / lanes_of_row,
            piece = thread % lanes_of_row;
  const long long head = blockIdx.y, first = blockIdx.x * quantization::rows_of_chunk,
                  end = min(first + quantization::rows_of_chunk, v.rows);
  float sum[row_elements_of_lane] = {};
#pragma unroll 4
  for (long long row = first + row_of_block; row < end; row += rows_at_once) {
    float elements[row_elements_of_lane];
    widen_piece(v.k[(head * v.rows + row) * lanes_of_row + piece], elements);
#pragma unroll
    for (int i = 0; i < row_elements_of_lane; ++i) sum[i] += elements[i];
  }
#pragma unroll
  for (int i = 0; i < row_elements_of_lane; ++i)
    of_rows[row_of_block][piece * row_elements_of_lane + i] = sum[i];
  __syncthreads();
  if (thread >= width) return;
  float all = 0;
  for (int row = 0; row < rows_at_once; ++row) all += of_rows[row][thread];
  v.sums[(head * v.chunks + blockIdx.x) * width + thread] = all;
}

/// blockIdx.x: a head.
__global__ __launch_bounds__(quantizing_threads) void finish_mean(const __grid_constant__ quantized_view v) {
  constexpr int parts = quantizing_threads / width;
  __shared__ float of_parts[parts][width];
  const int element = static_cast<int>(threadIdx.x) % width, part = static_cast<int>(threadIdx.x) / width;
  const long long head = blockIdx.x;
  float sum = 0;
  for (long long chunk = part; chunk < v.chunks; chunk += parts)
    sum += v.sums[(head * v.chunks + chunk) * width + element];
  of_parts[part][element] = sum;
  __syncthreads();
  if (part != 0) return;
  for (int other = 1; other < parts; ++other) sum += of_parts[other][element];
  v.mean[head * width + element] = sum / static_cast<float>(v.rows);
}

/// blockIdx: a query block, or a box of keys; head.
template <quantized_rows Rows>
__global__ __launch_bounds__(quantizing_threads) void quantize_rows(
    const __grid_constant__ quantized_view v) {
  constexpr bool of_queries = Rows == quantized_rows::queries;
  constexpr int rows_of_block = of_queries ? kept_blocks::queries : kept_blocks::keys;
  constexpr int rows_of_lane = rows_of_block / rows_at_once;
  const int piece = static_cast<int>(threadIdx.x) % lanes_of_row;
  const long long head = blockIdx.y, box = blockIdx.x;
  const long long first = of_queries ? box * rows_of_block : v.blocks.first_of_box(box);
  // What follows the rows in blocks shares no scale with them.
  const long long scaled_end = of_queries || box < v.blocks.key_blocks() ? v.blocks.rows : v.rows;
  const long long end = of_queries ? v.query_rows : scaled_end;
  float mean[row_elements_of_lane], x[rows_of_lane][row_elements_of_lane];
#pragma unroll
  for (int i = 0; i < row_elements_of_lane; ++i)
    mean[i] = v.mean[head * width + piece * row_elements_of_lane + i];
  float mine = 0;
#pragma unroll
  for (int r = 0; r < rows_of_lane; ++r) {
    const long long row = first + static_cast<int>(threadIdx.x) / lanes_of_row + r * rows_at_once;
    const bool is_there = row < end;
    widen_piece((of_queries ? v.q : v.k)[(head * v.rows + (is_there ? row : first)) * lanes_of_row + piece],
                x[r]);
    [[maybe_unused]] float product = 0;
#pragma unroll
    for (int i = 0; i < row_elements_of_lane; ++i) {
      if constexpr (of_queries)
        product = fmaf(x[r][i], mean[i], product);
      else
        x[r][i] -= mean[i];
      if (row < scaled_end) mine = fmaxf(mine, fabsf(x[r][i]));
    }
    if constexpr (of_queries) {
#pragma unroll
      for (int far = 1; far < lanes_of_row; far *= 2) product += __shfl_xor_sync(~0u, product, far);
      if (is_there && piece == 0) v.to.offsets[head * v.rows + row] = product / 8;  // √64
    }
  }
  const float greatest = greatest_of_block(mine);
  if (threadIdx.x == 0) {
    if (of_queries)
      v.to.q_scales[head * v.blocks.query_blocks() + box] = int8_scale(greatest);
    else
      v.to.k_scales[head * v.blocks.boxes(v.rows) + box] = int8_scale(greatest);
  }
#pragma unroll
  for (int r = 0; r < rows_of_lane; ++r) {
    const long long row = first + static_cast<int>(threadIdx.x) / lanes_of_row + r * rows_at_once;
    if (row >= end) continue;
    uint2 numbers{};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      numbers.x |= (static_cast<unsigned>(int8_number(x[r][i], greatest)) & 0xffu) << 8 * i;
      numbers.y |= (static_cast<unsigned>(int8_number(x[r][4 + i], greatest)) & 0xffu) << 8 * i;
    }
    reinterpret_cast<uint2*>(of_queries ? v.to.q : v.to.k)[(head * v.rows + row) * lanes_of_row + piece] =
        numbers;
  }
}

void quantize(launcher& to, const quantization& of) {
  const quantized_view v(of);
  const dim3 threads(quantizing_threads);
  launch(to, sum_keys, grid_of_blocks(v.chunks, v.heads), threads, 0, v);
  launch(to, finish_mean, dim3(static_cast<unsigned>(v.heads)), threads, 0, v);
  launch(to, quantize_rows<quantized_rows::queries>, grid_of_blocks(v.blocks.query_blocks(), v.heads),
         threads, 0, v);
  launch(to, quantize_rows<quantized_rows::keys>, grid_of_blocks(v.blocks.boxes(v.rows), v.heads), threads, 0,
         v);
}

}  // namespace ablate::compression_attention
