// Matches by mma.sync: S = X_sources · X_destinationsᵀ by tiles of 128 × 128; each row keeps its greatest
// product and its index, and S is never stored.
//   Eight warps, 32 rows by 64 columns each; asynchronous copies load 64 channels of both sides at a time
// into shared memory, one pair ahead, straight from the tokens' places. A thread scans its columns in
// ascending order and keeps the greater product, so the first of equal ones wins.
//   Should move: tensor instructions;
// DRAM bytes, against scores written to memory, to those of x.
#include "kernels/common/mma_tiles.cuh"
#include "kernels/token_merging/launches.h"
#include "kernels/token_merging/view.cuh"

namespace ablate::token_merging {

constexpr int tile_rows = 128, tile_columns = 128, chunk = 64;
constexpr int warps_of_rows = 4, columns_of_warp = 64;
using tile_of_rows = mma::swizzled_rows<chunk>;
constexpr unsigned side_bytes = tile_rows * tile_of_rows::row_bytes, stage_bytes = 2 * side_bytes;
constexpr int stages = 2;
static_assert(tile_rows == tile_columns, "both sides are copied alike");

/// One side's 64 channels: rows of these tokens, from a list; zeros after its end.
__device__ inline void copy_side(const view& v, unsigned to_shared, const std::int32_t* tokens, int first,
                                 int count, int of_channels) {
  for (int i = static_cast<int>(threadIdx.x); i < tile_rows * static_cast<int>(tile_of_rows::chunks);
       i += block_threads) {
    const int row = i / static_cast<int>(tile_of_rows::chunks),
              piece = i % static_cast<int>(tile_of_rows::chunks);
    const bool is_there = first + row < count;
    const std::uint16_t* const from =
        v.x_row(tokens[is_there ? first + row : 0]) + of_channels * chunk + piece * piece_elements;
    mma::copy_async_or_zero(
        to_shared + tile_of_rows::place(static_cast<unsigned>(row), static_cast<unsigned>(piece)), from,
        is_there);
  }
}

/// blockIdx.x: a tile of sources.
__global__ __launch_bounds__(block_threads) void match_by_tiles(const __grid_constant__ view v) {
  extern __shared__ __align__(128) unsigned char tiles[];
  __shared__ match found[2][tile_rows];
  const unsigned memory = mma::shared_address(tiles);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int row_of_warp = warp % warps_of_rows * 32, column_of_warp = warp / warps_of_rows * columns_of_warp;
  const int first_source = static_cast<int>(blockIdx.x) * tile_rows;
  const int chunks = v.match_channels / chunk;
  const int steps = (v.destinations + tile_columns - 1) / tile_columns * chunks;
  const auto copy_step = [&](int step) {
    const unsigned stage = memory + static_cast<unsigned>(step % stages) * stage_bytes;
    copy_side(v, stage, v.source_tokens, first_source, v.sources, step % chunks);
    copy_side(v, stage + side_bytes, v.destination_tokens, step / chunks * tile_columns, v.destinations,
              step % chunks);
  };

  match best[4];  // of rows lane / 4 + 8 · i
#pragma unroll
  for (match& m : best) m = {-INFINITY, 0};
  float s[2][8][4] = {};
  copy_step(0);
  mma::copy_commit();
  for (int step = 0; step < steps; ++step) {
    if (step + 1 < steps) copy_step(step + 1);
    mma::copy_commit();
    mma::copy_wait<1>();
    __syncthreads();
    const unsigned rows = memory + static_cast<unsigned>(step % stages) * stage_bytes +
                          static_cast<unsigned>(row_of_warp) * tile_of_rows::row_bytes;
    const unsigned columns = memory + static_cast<unsigned>(step % stages) * stage_bytes + side_bytes +
                             static_cast<unsigned>(column_of_warp) * tile_of_rows::row_bytes;
#pragma unroll
    for (unsigned k = 0; k < chunk / 16; ++k) {
      unsigned sources[2][4];
#pragma unroll
      for (unsigned i = 0; i < 2; ++i)
        mma::load_matrices(
            sources[i], rows + i * 16 * tile_of_rows::row_bytes +
                            tile_of_rows::moved(tile_of_rows::place_by_rows(static_cast<unsigned>(lane)), k));
      mma::multiply_step<tile_of_rows, 8>(
          s, sources,
          columns + tile_of_rows::moved(tile_of_rows::place_by_columns(static_cast<unsigned>(lane)), k),
          step % chunks == 0 && k == 0);
    }
    if (step % chunks == chunks - 1) {
      const int first = step / chunks * tile_columns + column_of_warp + 2 * (lane % 4);
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j)
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            const int destination = first + 8 * j + (e & 1);
            match& mine = best[2 * i + (e >> 1)];
            if (destination < v.destinations && s[i][j][e] > mine.similarity)
              mine = {s[i][j][e], destination};
          }
    }
    __syncthreads();  // all have read this stage
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int far = 1; far < 4; far *= 2) {
      const match other{__shfl_xor_sync(~0u, best[i].similarity, far),
                        __shfl_xor_sync(~0u, best[i].destination, far)};
      if (other.is_before(best[i])) best[i] = other;
    }
    if (lane % 4 == 0) found[warp / warps_of_rows][row_of_warp + 8 * i + lane / 4] = best[i];
  }
  __syncthreads();
  if (thread >= tile_rows || first_source + thread >= v.sources) return;
  const match &low = found[0][thread], &high = found[1][thread];
  const match all = high.is_before(low) ? high : low;
  v.best[first_source + thread] = all.destination;
  v.similarity[first_source + thread] = all.similarity;
}

void match_mma(launcher& to, const problem& p, const switches&) {
  make_metric_rows(to, p);
  const view v(p);
  launch(to, match_by_tiles, dim3(blocks_for(v.sources, tile_rows)), dim3(block_threads),
         stages * stage_bytes, v);
}

}  // namespace ablate::token_merging
