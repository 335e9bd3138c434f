// Y = out(X · Wᵀ + b) and dX = dY · W by mma.sync on sm_80 and later, a block a tile of 128 rows × 64 or 128
// columns (mma_tiles.cuh). The epilogue is done on the accumulators: bias, residual and activation cost no
// memory traffic but the residual's own, and Z is never written. Should move: DRAM bytes, to X, W, R once and
// Y once; launches, to one.
#include "kernels/common/dependent_launch.cuh"
#include "kernels/linear/mma_tiles.cuh"
#include "kernels/linear/parts.h"

namespace ablate::linear {

template <int TileN>
using forward_product = tile_product<tile_config{.columns = TileN}>;
/// W's rows are its outputs, over which it sums.
template <int TileN>
using gradient_product = tile_product<tile_config{.b = operand_major::mn_major, .columns = TileN}>;

/// blockIdx.x: tiles of columns, so that blocks next to each other read the same rows.
template <int TileN>
__global__ __launch_bounds__(tile_threads) void multiply_tiles(operand x, operand weight, epilogue_view v) {
  extern __shared__ __align__(128) unsigned char raw[];
  let_next_kernel_begin();
  wait_for_previous_kernel();
  using product = forward_product<TileN>;
  typename product::accumulators d = {};
  const long long first_row = static_cast<long long>(blockIdx.y) * tile_rows;
  const int first_column = static_cast<int>(blockIdx.x) * TileN;
  product::run(d, shared_address(raw), x, weight, first_row, first_column, 0, x.columns,
               v.behind == epilogue::swiglu, [](unsigned) {});
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      finish_row<2 * product::pairs>(v, first_row + product::row_of(i, half),
                                     first_column + product::first_column(),
                                     [&](int group, int k) { return d[i][group][2 * half + k]; });
}

template <int TileN>
__global__ __launch_bounds__(tile_threads) void multiply_gradient_tiles(operand gradient, operand weight,
                                                                        epilogue_view v) {
  extern __shared__ __align__(128) unsigned char raw[];
  using product = gradient_product<TileN>;
  typename product::accumulators d = {};
  const long long first_row = static_cast<long long>(blockIdx.y) * tile_rows;
  const int first_column = static_cast<int>(blockIdx.x) * TileN + product::first_column();
  product::run(d, shared_address(raw), gradient, weight, first_row,
               static_cast<long long>(blockIdx.x) * TileN, 0, gradient.columns, false, [](unsigned) {});
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int first = 0; first < 2 * product::pairs; first += 4) {
        float z[4][2];
#pragma unroll
        for (int j = 0; j < 8; ++j) z[j / 2][j % 2] = d[i][first + j / 2][2 * half + j % 2];
        if (first_column + 8 * first < v.outputs)
          store_columns(v, first_row + product::row_of(i, half), first_column + 8 * first, v.outputs, z);
      }
}

/// The widest tile that fills a whole number of tiles, else the narrow one.
bool takes_wide_tiles(int columns) { return columns % 128 == 0; }

dim3 grid_of(std::int64_t rows, int columns, int tile) {
  return dim3(blocks_for(columns, tile), blocks_for(rows, tile_rows));
}

void mma_forward(launcher& to, const problem& p) {
  const operand x = {p.x, p.rows, p.inputs}, weight = {p.weight, p.outputs, p.inputs};
  const auto run = [&](auto kernel, int tile, unsigned bytes) {
    launch(to, kernel,
           {.grid = grid_of(p.rows, p.outputs, tile),
            .block = dim3(tile_threads),
            .dynamic_shared_bytes = bytes,
            .overlaps_previous = p.begins_early},
           x, weight, view_of(p));
  };
  if (takes_wide_tiles(p.outputs))
    run(multiply_tiles<128>, 128, forward_product<128>::shared_bytes);
  else
    run(multiply_tiles<64>, 64, forward_product<64>::shared_bytes);
}

void mma_input_gradient(launcher& to, const problem& p) {
  const operand gradient = {p.gradient, p.rows, p.outputs}, weight = {p.weight, p.outputs, p.inputs};
  epilogue_view v{};
  v.y = p.input_gradient;
  v.rows = p.rows;
  v.outputs = p.inputs;
  const auto run = [&](auto kernel, int tile, unsigned bytes) {
    launch(to, kernel, grid_of(p.rows, p.inputs, tile), dim3(tile_threads), bytes, gradient, weight, v);
  };
  if (takes_wide_tiles(p.inputs))
    run(multiply_gradient_tiles<128>, 128, gradient_product<128>::shared_bytes);
  else
    run(multiply_gradient_tiles<64>, 64, gradient_product<64>::shared_bytes);
}

}  // namespace ablate::linear
