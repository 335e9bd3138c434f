// Sums over rows: a slab of 32 columns a block, four lanes of 16 bytes a row and 64 rows side by side, added
// in shared memory; up to 32 blocks share the rows of a slab, and a second launch adds what they leave, in
// their order.
#include "kernels/common/dense/column_sums.h"

#include <algorithm>

#include "kernels/common/dense/row_chunk.cuh"
#include "kernels/common/launch.cuh"

namespace ablate::dense_layers {

constexpr int sum_threads = 256, summed_columns = 32, summed_slices = sum_threads / summed_columns;

__global__ __launch_bounds__(sum_threads) void sum_partial_columns(const float* partial, int parts,
                                                                   int columns, float* out) {
  __shared__ float slices[summed_slices][summed_columns];
  const int lane = static_cast<int>(threadIdx.x) % summed_columns,
            slice = static_cast<int>(threadIdx.x) / summed_columns;
  const int column = static_cast<int>(blockIdx.x) * summed_columns + lane;
  float sum = 0;
  for (int part = slice; column < columns && part < parts; part += summed_slices)
    sum += partial[static_cast<long long>(part) * columns + column];
  slices[slice][lane] = sum;
  __syncthreads();
  if (slice != 0 || column >= columns) return;
  for (int other = 1; other < summed_slices; ++other) sum += slices[other][lane];
  out[column] = sum;
}

void sum_partials(launcher& to, const float* partial, int parts, int columns, float* out) {
  launch(to, sum_partial_columns, dim3(blocks_for(columns, summed_columns)), dim3(sum_threads), 0, partial,
         parts, columns, out);
}

constexpr int lanes_of_row = summed_columns / chunk, rows_side_by_side = sum_threads / lanes_of_row,
              max_parts = 32;

__global__ __launch_bounds__(sum_threads) void sum_columns(const std::uint16_t* x, long long rows,
                                                           long long rows_of_part, int columns,
                                                           float* partial) {
  __shared__ float parts[rows_side_by_side][summed_columns + 1];
  const int lane = static_cast<int>(threadIdx.x) % lanes_of_row,
            row_of_block = static_cast<int>(threadIdx.x) / lanes_of_row;
  const int first_column = static_cast<int>(blockIdx.x) * summed_columns;
  const long long first = blockIdx.y * rows_of_part, end = min(first + rows_of_part, rows);
  float sums[chunk] = {};
  for (long long row = first + row_of_block; row < end; row += rows_side_by_side) {
    float values[chunk];
    unpack(values, load_chunk(x, (row * columns + first_column) / chunk + lane));
#pragma unroll
    for (int i = 0; i < chunk; ++i) sums[i] += values[i];
  }
#pragma unroll
  for (int i = 0; i < chunk; ++i) parts[row_of_block][lane * chunk + i] = sums[i];
  __syncthreads();
  const int column = static_cast<int>(threadIdx.x);
  if (column >= summed_columns) return;
  float sum = 0;
  for (int row = 0; row < rows_side_by_side; ++row) sum += parts[row][column];
  partial[blockIdx.y * static_cast<long long>(columns) + first_column + column] = sum;
}

void column_sums(launcher& to, const std::uint16_t* x, std::int64_t rows, int columns, float* partial,
                 float* out) {
  const auto parts = static_cast<unsigned>(
      std::clamp<std::int64_t>((rows + rows_side_by_side - 1) / rows_side_by_side, 1, max_parts));
  launch(to, sum_columns, dim3(static_cast<unsigned>(columns / summed_columns), parts), dim3(sum_threads), 0,
         x, rows, (rows + parts - 1) / parts, columns, partial);
  sum_partials(to, partial, static_cast<int>(parts), columns, out);
}

}  // namespace ablate::dense_layers
