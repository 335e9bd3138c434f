// Y = out(LN(X) · Wᵀ + b) in one launch, by mma.sync: a block holds 64 rows of X whole in shared memory (K ≤
// 512), normalizes them there, and multiplies them with tiles of 128 columns, W in steps of 32 of k through a
// ring of four stages that runs on over the tiles; four warps, 2 × 2, of 32 × 64. Blocks with the same rows
// share their tiles where rows alone do not fill the GPU. Should move: DRAM bytes, by a write and a read of
// the normalized rows; launches, by one.
#include <algorithm>

#include "kernels/common/dependent_launch.cuh"
#include "kernels/linear/launches.h"
#include "kernels/linear/parts.h"
#include "kernels/linear/resident_rows.cuh"

namespace ablate::linear {

constexpr int normed_tile = 128;
using normed_stage = staged_operand<operand_major::k_major, normed_tile>;

__global__ __launch_bounds__(tile_threads) void multiply_normed_rows(operand x, operand weight,
                                                                     const float* gamma, const float* beta,
                                                                     int tiles_of_block, epilogue_view v) {
  extern __shared__ __align__(128) unsigned char raw[];
  let_next_kernel_begin();
  wait_for_previous_kernel();
  const unsigned shared = shared_address(raw), ring = shared + resident_bytes(x.columns);
  const long long first_row = static_cast<long long>(blockIdx.x) * resident_rows;
  const int tiles = (v.outputs + normed_tile - 1) / normed_tile,
            first_tile = static_cast<int>(blockIdx.y) * tiles_of_block,
            end_tile = min(first_tile + tiles_of_block, tiles);
  const int steps_of_tile = x.columns / tile_step, steps = max(end_tile - first_tile, 0) * steps_of_tile;
  const auto bring = [&](int step) {
    if (step < steps)
      normed_stage::load(ring + step % tile_stages * normed_stage::bytes, weight,
                         static_cast<long long>(first_tile + step / steps_of_tile) * normed_tile,
                         static_cast<long long>(step % steps_of_tile) * tile_step,
                         v.behind == epilogue::swiglu);
    copy_commit();
  };
  bring_rows(shared, x.base, first_row, x.rows, x.columns);
  copy_commit();
#pragma unroll
  for (int step = 0; step < tile_stages - 1; ++step) bring(step);
  copy_wait<tile_stages - 1>();  // the rows; W may still be under way
  __syncthreads();
  normalize_resident(raw, gamma, beta, x.columns);
  // The barrier of the first step is between this and the products.

  const unsigned warp = threadIdx.x / 32, first_of_warp = warp / 2 * 32, column_of_warp = warp % 2 * 64;
  unsigned places[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) places[j] = normed_stage::place_of_b(column_of_warp + 16 * j);
  float d[2][8][4] = {};
  for (int step = 0; step < steps; ++step) {
    copy_wait<tile_stages - 2>();
    __syncthreads();
    bring(step + tile_stages - 1);
    const unsigned stage = ring + step % tile_stages * normed_stage::bytes;
    const int in_tile = step % steps_of_tile;
#pragma unroll
    for (int half = 0; half < tile_step / 16; ++half) {
      unsigned fragments[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i)
        load_matrices(fragments[i], shared + resident_fragment(first_of_warp + 16 * i, 2 * in_tile + half));
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        unsigned columns[4];
        normed_stage::load_fragments(columns, stage, places[j], half);
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          multiply_add(d[i][2 * j], fragments[i], columns[0], columns[1]);
          multiply_add(d[i][2 * j + 1], fragments[i], columns[2], columns[3]);
        }
      }
    }
    if (in_tile + 1 < steps_of_tile) continue;
    const int column = (first_tile + step / steps_of_tile) * normed_tile + static_cast<int>(column_of_warp);
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        finish_row<8>(v, first_row + first_of_warp + 16 * i + 8 * half + threadIdx.x % 32 / 4, column,
                      [&](int group, int k) { return d[i][group][2 * half + k]; });
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int group = 0; group < 8; ++group)
#pragma unroll
        for (int k = 0; k < 4; ++k) d[i][group][k] = 0;
  }
}

void mma_normed_forward(launcher& to, const problem& p) {
  const operand x = {p.x, p.rows, p.inputs}, weight = {p.weight, p.outputs, p.inputs};
  const auto row_blocks = static_cast<int>(blocks_for(p.rows, resident_rows));
  const int tiles = (p.outputs + normed_tile - 1) / normed_tile;
  const int shares =
      std::clamp((2 * to.device().multiprocessors + row_blocks - 1) / std::max(row_blocks, 1), 1, tiles);
  const int tiles_of_block = (tiles + shares - 1) / shares;
  launch(to, multiply_normed_rows,
         {.grid = dim3(static_cast<unsigned>(row_blocks), blocks_for(tiles, tiles_of_block)),
          .block = dim3(tile_threads),
          .dynamic_shared_bytes = resident_bytes(p.inputs) + tile_stages * normed_stage::bytes,
          .overlaps_previous = p.begins_early},
         x, weight, p.gamma, p.beta, tiles_of_block, view_of(p));
}

void own_mma(launcher& to, const problem& p, const switches& s) {
  if (p.has(output::y)) forward_by(to, p, s, mma_forward, mma_normed_forward);
  if (p.has(output::input_gradient)) mma_input_gradient(to, p);
  if (p.has(output::weight_gradient)) mma_weight_gradient(to, p);
}

}  // namespace ablate::linear
