// Long rows of the transposed lists, cut into pieces for a warp each, and their sums joined. Thousands of
// query blocks name a popular key block, others are named about as often as a list has entries: one warp
// would take as long for it as all others for everything.
//   A row draws numbers for its pieces from a counter. The numbers depend on arrival, but neither the cut nor
// the order in which pieces are added, so `apart` is reproducible.
//   `together`: pieces add to the memory of their row's first one, by reductions; that memory is cleared
// before, and less is read after.
// Should move: time of the last warp of key_rows.cu; DRAM bytes, 8 KB a piece and tile of a block, written
// and read.
#include "kernels/common/fill.h"
#include "kernels/selection_attention_backward/row_chunk.cuh"

namespace ablate::selection_attention_backward {

constexpr int cutting_threads = 256, joining_threads = 256, sums_of_tile = 2 * tile * width;
constexpr int blocks_of_multiprocessor = 4;

__global__ __launch_bounds__(cutting_threads) void number_pieces(const __grid_constant__ view v) {
  const long long row = blockIdx.x * static_cast<long long>(cutting_threads) + threadIdx.x;
  if (row >= v.rows) return;
  const auto pieces = static_cast<unsigned>(v.cut.pieces(v.offsets[row + 1] - v.offsets[row]));
  if (pieces == 0) return;
  const unsigned first = atomicAdd(v.pieces.count, pieces);
  v.pieces.first_of_row[row] = first;
  for (unsigned i = 0; i < pieces; ++i) v.pieces.row_of_piece[first + i] = static_cast<std::uint32_t>(row);
}

/// Calls `take(row, piece)` for the first piece of each row that is cut. Blocks of threads take turns.
template <class Take>
__device__ void for_each_cut_row(const view& v, Take take) {
  const unsigned pieces = *v.pieces.count;
  for (unsigned piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
    const long long row = v.pieces.row_of_piece[piece];
    if (v.pieces.first_of_row[row] == piece) take(row, piece);
  }
}

__global__ __launch_bounds__(joining_threads) void clear_first_pieces(const __grid_constant__ view v) {
  const int floats = sums_of_tile << v.attention.log2_in_block;
  for_each_cut_row(v, [&](long long, unsigned piece) {
    auto* const sums = reinterpret_cast<float4*>(v.pieces.sums + static_cast<long long>(piece) * floats);
    for (int i = static_cast<int>(threadIdx.x); i < floats / 4; i += joining_threads) sums[i] = {};
  });
}

/// A thread has eight elements of dK or of dV, of each tile of the block.
template <piece_sums Sums>
__global__ __launch_bounds__(joining_threads) void join_rows(const __grid_constant__ view v) {
  static_assert(joining_threads * 8 == sums_of_tile);
  const int tiles = 1 << v.attention.log2_in_block, floats = sums_of_tile * tiles;
  const int place = static_cast<int>(threadIdx.x) * 8 % (tile * width);
  const bool is_value = threadIdx.x >= joining_threads / 2;
  const int chunk = place % width / 8;
  for_each_cut_row(v, [&](long long row, unsigned first_piece) {
    const long long pieces =
        Sums == piece_sums::together ? 1 : v.cut.pieces(v.offsets[row + 1] - v.offsets[row]);
    const row_chunk added(v.pooled_row(is_value ? 2 : 1, row), chunk);
    for (int t = 0; t < tiles; ++t) {
      const float* from = v.pieces.sums + static_cast<long long>(first_piece) * floats + t * sums_of_tile +
                          static_cast<int>(threadIdx.x) * 8;
      float4 low{}, high{};
#pragma unroll 4
      for (long long i = 0; i < pieces; ++i, from += floats) {
        const float4 more_low = *reinterpret_cast<const float4*>(from),
                     more_high = *reinterpret_cast<const float4*>(from + 4);
        low.x += more_low.x;
        low.y += more_low.y;
        low.z += more_low.z;
        low.w += more_low.w;
        high.x += more_high.x;
        high.y += more_high.y;
        high.z += more_high.z;
        high.w += more_high.w;
      }
      const float factor = is_value ? 1 : scale;
      // Rows of blocks of all heads follow each other as keys do.
      unsigned char* const to = (is_value ? v.v_gradient : v.k_gradient) +
                                (row * tiles + t) * static_cast<long long>(tile_bytes) + 2 * place;
      *reinterpret_cast<uint4*>(to) = added.share_and_sums(v.share, low, high, factor);
    }
  });
}

void cut_rows(launcher& to, const view& v, piece_sums sums) {
  fill(to, {{v.pieces.count, 1, 0}});
  if (v.max_pieces == 0) return;
  launch(to, number_pieces, dim3(blocks_for(v.rows, cutting_threads)), dim3(cutting_threads), 0, v);
  if (sums == piece_sums::together)
    launch(to, clear_first_pieces, dim3(blocks_of_multiprocessor * to.device().multiprocessors),
           dim3(joining_threads), 0, v);
}

void join_pieces(launcher& to, const view& v, piece_sums sums) {
  if (v.max_pieces == 0) return;
  launch(to, sums == piece_sums::apart ? join_rows<piece_sums::apart> : join_rows<piece_sums::together>,
         dim3(blocks_of_multiprocessor * to.device().multiprocessors), dim3(joining_threads), 0, v);
}

}  // namespace ablate::selection_attention_backward
