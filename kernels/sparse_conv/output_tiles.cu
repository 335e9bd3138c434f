// Y = b + Σ_q X[T[q]] · W_qᵀ, 64 out rows standing. A block gathers, offset by offset, the rows of x that its
// out rows need, and adds up in registers; each output is written once, by one block, in the same order each
// time. An offset that none of the 64 rows has is skipped: the union of their masks says so. Of one that a
// single row has, 64 rows are multiplied, 63 of them zeros.
//
// Rows that are together should therefore have the same offsets: taken in the order of their masks, fewer
// offsets are multiplied for nothing. Should move: tensor activity (fewer products), L2 bytes (fewer
// weights), both with the executed share of the input's facts.
//
// dX is the same with the offsets' weights mirrored and transposed.
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/sparse_conv/launches.h"
#include "kernels/sparse_conv/weight_gradient.h"
#include "kernels/sparse_conv/with_shape.cuh"

namespace ablate::sparse_conv {

constexpr int max_offsets = 27;

struct standing_rows {
  tile_operands of;
  const std::int32_t* table;   ///< [offsets][rows]
  const std::uint32_t* masks;  ///< [rows]; null: every offset is multiplied
  const std::int32_t* order;   ///< [rows]; null: as they are
  const float* bias;           ///< null: none
  std::uint16_t* out;          ///< [rows][columns]
  int rows, offsets, columns;
};

struct standing_memory {
  int rows[max_offsets * tile_rows];
  int offsets[max_offsets];  ///< that are multiplied
  int weights[max_offsets];  ///< of each of them
  int out_rows[tile_rows];   ///< −1 past the last
  unsigned masks[tile_threads / 32];
};

/// The offsets that any row of the tile has.
__device__ inline unsigned offsets_of_tile(const standing_rows& s, standing_memory& memory, int first) {
  const int thread = static_cast<int>(threadIdx.x);
  unsigned mask = 0;
  if (thread < tile_rows) {
    const int place = first + thread;
    const int row = place >= s.rows ? -1 : s.order == nullptr ? place : s.order[place];
    memory.out_rows[thread] = row;
    if (row >= 0) mask = s.masks == nullptr ? (1u << s.offsets) - 1 : s.masks[row];
  }
  mask = __reduce_or_sync(~0u, mask);
  if (thread % 32 == 0) memory.masks[thread / 32] = mask;
  __syncthreads();
  mask = 0;
#pragma unroll
  for (const unsigned of_warp : memory.masks) mask |= of_warp;
  return mask;
}

/// Lists the tile's offsets and their rows of x.
template <weight_use Use>
__device__ inline int find_rows(const standing_rows& s, standing_memory& memory, unsigned mask) {
  const int thread = static_cast<int>(threadIdx.x), count = __popc(mask);
  if (thread < s.offsets && (mask >> thread & 1) != 0) {
    const int item = __popc(mask & ((1u << thread) - 1));
    memory.offsets[item] = thread;
    memory.weights[item] = Use == weight_use::transposed ? s.offsets - 1 - thread : thread;
  }
  __syncthreads();
  for (int i = thread; i < count * tile_rows; i += tile_threads) {
    const int out_row = memory.out_rows[i % tile_rows];
    const long long first_of_offset = static_cast<long long>(memory.offsets[i / tile_rows]) * s.rows;
    memory.rows[i] = out_row < 0 ? -1 : s.table[first_of_offset + out_row];
  }
  __syncthreads();
  return count;
}

/// Rounds the tile to bf16 where the stages were, and writes whole rows from there.
template <class Shape>
__device__ inline void write_rows(const standing_rows& s, const standing_memory& memory, unsigned char* tile,
                                  const typename Shape::accumulators& d, int first_column) {
  using product = tile_product<Shape>;
  using out_tile = typename Shape::out_tile;
  const int lane = product::lane();
#pragma unroll
  for (int g = 0; g < Shape::groups; ++g)
#pragma unroll
    for (int j = 0; j < Shape::fragments; ++j) {
      const int column = product::warp_column() + 8 * j + lane % 4 * 2;
      float2 bias{};
      if (s.bias != nullptr) bias = *reinterpret_cast<const float2*>(s.bias + first_column + column);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const auto row = static_cast<unsigned>(product::warp_row() + 16 * g + lane / 4 + 8 * half);
        *reinterpret_cast<__nv_bfloat162*>(tile + out_tile::place(row, static_cast<unsigned>(column) / 8) +
                                           column % 8 * 2) =
            __floats2bfloat162_rn(d[g][j][2 * half] + bias.x, d[g][j][2 * half + 1] + bias.y);
      }
    }
  __syncthreads();
  constexpr int pieces = out_tile::chunks;
  for (int i = static_cast<int>(threadIdx.x); i < tile_rows * pieces; i += tile_threads) {
    const int row = memory.out_rows[i / pieces], piece = i % pieces;
    if (row < 0) continue;
    *reinterpret_cast<uint4*>(s.out + static_cast<long long>(row) * s.columns + first_column + piece * 8) =
        *reinterpret_cast<const uint4*>(
            tile + out_tile::place(static_cast<unsigned>(i / pieces), static_cast<unsigned>(piece)));
  }
}

/// Neighboring blocks handle the same rows and other columns.
template <class Shape>
__global__ __launch_bounds__(tile_threads, 2) void multiply_standing_rows(standing_rows s) {
  extern __shared__ __align__(128) unsigned char stages[];
  __shared__ standing_memory memory;
  const int across = s.columns / Shape::columns;
  const int first = static_cast<int>(blockIdx.x) / across * tile_rows;
  const int first_column = static_cast<int>(blockIdx.x) % across * Shape::columns;
  const unsigned mask = offsets_of_tile(s, memory, first);
  const int count = find_rows<Shape::use>(s, memory, mask);
  const tile_work work{memory.weights, memory.rows, count, first_column};
  typename Shape::accumulators d;
  tile_product<Shape>{s.of, work, mma::shared_address(stages)}.run(d);
  write_rows<Shape>(s, memory, stages, d, first_column);
}

template <weight_use Use>
void multiply_tiles(launcher& to, const problem& p, const switches& s) {
  const int columns = columns_of<Use>(p);
  const bool transposes = Use == weight_use::transposed;
  const standing_rows rows{operands_of<Use>(p),
                           p.table,
                           s.word("offsets") == "all" ? nullptr : p.masks,
                           s.word("rows") == "by_mask" ? p.order : nullptr,
                           !transposes && p.has_bias ? p.bias : nullptr,
                           transposes ? p.x_gradient : p.y,
                           static_cast<int>(p.rows),
                           p.offsets(),
                           columns};
  with_shape<Use>(columns, most_columns_of(s), [&](auto shape) {
    using Shape = decltype(shape);
    launch(to, multiply_standing_rows<Shape>,
           dim3(blocks_for(p.rows, tile_rows) * static_cast<unsigned>(columns / Shape::columns)),
           dim3(tile_threads), Shape::all_stages, rows);
  });
}

void output_tiles(launcher& to, const problem& p, const switches& s) {
  for_each_product(
      p, [&] { multiply_tiles<weight_use::forward>(to, p, s); },
      [&] { multiply_tiles<weight_use::transposed>(to, p, s); });
  if (p.weight_gradient) multiply_lists_of_gradients(to, p);
}

}  // namespace ablate::sparse_conv
