// 64 rows of X in shared memory, whole: panels of 64 columns, so that a row of a panel is 128 bytes;
// normalized there, in place. And a warp's products of 32 of these rows.
#pragma once

#include "kernels/common/lane_sums.cuh"
#include "kernels/linear/mma_tiles.cuh"

namespace ablate::linear {

constexpr int resident_rows = 64;
using panel_rows = swizzled_rows<64>;
constexpr unsigned panel_bytes = resident_rows * panel_rows::row_bytes;

ABLATE_ON_BOTH inline constexpr unsigned resident_bytes(int columns) {
  return static_cast<unsigned>((columns + 63) / 64) * panel_bytes;
}

/// Where 8 columns of a row are.
__device__ inline unsigned resident_place(int row, int piece) {
  return static_cast<unsigned>(piece / 8) * panel_bytes +
         panel_rows::place(static_cast<unsigned>(row), static_cast<unsigned>(piece % 8));
}

/// Copies the rows from `first` on; zeros past the last. The caller commits.
__device__ inline void bring_rows(unsigned to, const std::uint16_t* x, long long first, long long rows,
                                  int columns) {
  const int pieces = columns / 8;
  for (int at = static_cast<int>(threadIdx.x); at < resident_rows * pieces; at += tile_threads) {
    const int row = at / pieces, piece = at % pieces;
    const bool is_there = first + row < rows;
    copy_async_or_zero(to + resident_place(row, piece),
                       is_there ? x + (first + row) * columns + piece * 8 : x, is_there);
  }
}

/// Layer norm of all rows, a warp a row, rounded to bf16. Before and after it is a barrier of the block.
__device__ inline void normalize_resident(unsigned char* rows, const float* gamma, const float* beta,
                                          int columns) {
  constexpr int max_pieces = max_normed_inputs / 8 / 32;  // of a lane
  const int lane = static_cast<int>(threadIdx.x) % 32, pieces = columns / 8;
#pragma unroll 2
  for (int row = static_cast<int>(threadIdx.x) / 32; row < resident_rows; row += tile_threads / 32) {
    float x[max_pieces][chunk];
    float sum = 0, squares = 0;
#pragma unroll
    for (int i = 0; i < max_pieces; ++i) {
      const int piece = lane + 32 * i;
      unpack(x[i],
             piece < pieces ? *reinterpret_cast<const uint4*>(rows + resident_place(row, piece)) : uint4{});
#pragma unroll
      for (int k = 0; k < chunk; ++k) sum += x[i][k];
    }
    const float mean = sum_of_lanes<32>(sum) / static_cast<float>(columns);
#pragma unroll
    for (int i = 0; i < max_pieces; ++i)
#pragma unroll
      for (int k = 0; k < chunk; ++k) {
        x[i][k] -= mean;
        if (lane + 32 * i < pieces) squares = fmaf(x[i][k], x[i][k], squares);
      }
    const float inverse = rsqrtf(sum_of_lanes<32>(squares) / static_cast<float>(columns) + 1e-5f);
#pragma unroll
    for (int i = 0; i < max_pieces; ++i) {
      const int piece = lane + 32 * i;
      if (piece >= pieces) continue;
      float g[chunk], b[chunk];
      load_parameters(g, gamma + piece * 8);
      load_parameters(b, beta + piece * 8);
#pragma unroll
      for (int k = 0; k < chunk; ++k) x[i][k] = fmaf(x[i][k] * inverse, g[k], b[k]);
      *reinterpret_cast<uint4*>(rows + resident_place(row, piece)) = pack(x[i]);
    }
  }
}

/// This lane's address of a fragment of A, of 16 resident rows from `first` on, `step` times 16 columns in.
__device__ inline unsigned resident_fragment(unsigned first, int step) {
  return static_cast<unsigned>(step / 4) * panel_bytes + first * panel_rows::row_bytes +
         panel_rows::moved(panel_rows::place_by_rows(threadIdx.x % 32), static_cast<unsigned>(step % 4));
}

}  // namespace ablate::linear
