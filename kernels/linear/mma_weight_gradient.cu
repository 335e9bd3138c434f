// dW = dYᵀ · X and db = Σ dY over the rows, by mma.sync: k is the rows, contiguous in neither operand, so
// that ldmatrix transposes both. The rows are split into parts so that there are as many blocks as
// multiprocessors can hold; each part's sums are written in fp32, and a second launch adds them in their
// order: the same bits every run, without atomics. db is summed from the tiles of dY while they are in shared
// memory for dW; or by launches of its own, which read dY again. Should move: DRAM bytes, to dY and X once.
#include "kernels/common/bf16.h"
#include "kernels/common/dense/column_sums.h"
#include "kernels/linear/mma_tiles.cuh"
#include "kernels/linear/parts.h"

namespace ablate::linear {

struct weight_gradient_view {
  float *weight, *bias;  ///< of part 0; the next part's are `part` floats further
  long long part, rows_of_part;
  int outputs, inputs;
};

/// k is the rows, of both operands.
template <int TileN>
using product_over_rows =
    tile_product<tile_config{.a = operand_major::mn_major, .b = operand_major::mn_major, .columns = TileN}>;

template <int TileN, bool SumsColumns>
__device__ __forceinline__ void multiply_rows_of_part(const operand& gradient, const operand& x,
                                                      const weight_gradient_view& v) {
  extern __shared__ __align__(128) unsigned char raw[];
  using product = product_over_rows<TileN>;
  typename product::accumulators d = {};
  const int first_n = static_cast<int>(blockIdx.x) * TileN,
            first_m = static_cast<int>(blockIdx.y) * tile_rows;
  const long long first_row = blockIdx.z * v.rows_of_part,
                  end = min(first_row + v.rows_of_part, gradient.rows);
  // A part ends where the next one begins: rows behind it are zeros to this block.
  operand gradient_of_part = gradient, x_of_part = x;
  gradient_of_part.rows = x_of_part.rows = end;
  const bool sums_columns = SumsColumns && blockIdx.x == 0;
  const unsigned char* const shared = raw;
  float sum = 0;
  product::run(d, shared_address(raw), gradient_of_part, x_of_part, first_m, first_n, first_row, end, false,
               [&](unsigned stage) {
                 if (!sums_columns) return;
                 using rows = typename product::a_stage::rows;
                 const unsigned char* const tile = shared + (stage - shared_address(raw));
                 for (unsigned row = 0; row < tile_step; ++row)
                   sum += float_of_bf16(*reinterpret_cast<const std::uint16_t*>(
                       tile + rows::place(row, threadIdx.x / 8) + threadIdx.x % 8 * 2));
               });
  float* const to = v.weight + blockIdx.z * v.part;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first_m + product::row_of(i, half);
#pragma unroll
      for (int group = 0; group < 2 * product::pairs; ++group) {
        const int column =
            first_n + product::first_column() + 8 * group + 2 * static_cast<int>(threadIdx.x % 4);
        if (row < v.outputs && column < v.inputs)
          *reinterpret_cast<float2*>(to + static_cast<long long>(row) * v.inputs + column) = {
              d[i][group][2 * half], d[i][group][2 * half + 1]};
      }
    }
  const int column = first_m + static_cast<int>(threadIdx.x);
  if (sums_columns && column < v.outputs) v.bias[blockIdx.z * v.part + column] = sum;
}
static_assert(tile_threads == tile_rows, "a thread sums a column of dY");

template <int TileN>
__global__ __launch_bounds__(tile_threads) void multiply_rows(operand gradient, operand x,
                                                              weight_gradient_view v) {
  multiply_rows_of_part<TileN, true>(gradient, x, v);
}

/// dW alone.
template <int TileN>
__global__ __launch_bounds__(tile_threads) void multiply_rows_without_sums(operand gradient, operand x,
                                                                           weight_gradient_view v) {
  multiply_rows_of_part<TileN, false>(gradient, x, v);
}

__global__ __launch_bounds__(256) void add_parts(const float* partial, int parts, long long part,
                                                 long long weights, float* weight, float* bias) {
  const long long at = blockIdx.x * 256ll + threadIdx.x;
  if (at >= part) return;
  float sum = partial[at];
  for (int i = 1; i < parts; ++i) sum += partial[i * part + at];
  (at < weights ? weight[at] : bias[at - weights]) = sum;
}

enum class summed_by { product, own_launches };

template <summed_by By>
void run_weight_gradient(launcher& to, const problem& p) {
  const operand gradient = {p.gradient, p.rows, p.outputs}, x = {p.x, p.rows, p.inputs};
  const int parts = splits_of_rows(p, to.device().multiprocessors);
  const std::int64_t weights = static_cast<std::int64_t>(p.outputs) * p.inputs,
                     part = weights + (By == summed_by::product ? p.outputs : 0);
  const bool in_place = parts == 1;
  // Whole steps, so that no step is shared by two parts.
  const std::int64_t steps = (p.rows + tile_step - 1) / tile_step,
                     rows_of_part = (steps + parts - 1) / parts * tile_step;
  const weight_gradient_view v = {in_place ? p.weight_gradient : p.partial,
                                  in_place || p.partial == nullptr ? p.bias_gradient : p.partial + weights,
                                  in_place ? 0 : part,
                                  rows_of_part,
                                  p.outputs,
                                  p.inputs};
  const auto run = [&](auto kernel, int tile, unsigned bytes) {
    launch(to, kernel,
           dim3(blocks_for(p.inputs, tile), blocks_for(p.outputs, tile_rows), static_cast<unsigned>(parts)),
           dim3(tile_threads), bytes, gradient, x, v);
  };
  const auto run_by_tiles = [&](auto of_128, auto of_64) {
    if (p.inputs % 128 == 0)
      run(of_128, 128, product_over_rows<128>::shared_bytes);
    else
      run(of_64, 64, product_over_rows<64>::shared_bytes);
  };
  if constexpr (By == summed_by::product)
    run_by_tiles(multiply_rows<128>, multiply_rows<64>);
  else
    run_by_tiles(multiply_rows_without_sums<128>, multiply_rows_without_sums<64>);
  if (!in_place)
    launch(to, add_parts, dim3(blocks_for(part, 256)), dim3(256), 0, p.partial, parts, part, weights,
           p.weight_gradient, p.bias_gradient);
}

void mma_weight_gradient(launcher& to, const problem& p) { run_weight_gradient<summed_by::product>(to, p); }

void mma_weight_gradient_then_sums(launcher& to, const problem& p) {
  run_weight_gradient<summed_by::own_launches>(to, p);
  // After the parts' sums, whose memory these take.
  dense_layers::column_sums(to, p.gradient, p.rows, p.outputs, p.partial, p.bias_gradient);
}

}  // namespace ablate::linear
