// Gradients of 16 keys of one head by a warp that keeps them, while the queries of the blocks that name them,
// a row of the transposed lists, stream past.
//   Sᵀ = K·Qᵀ, dPᵀ = V·dOᵀ, P = 2^(c·S − lse), dS = P∘(dP − Δ), dV += Pᵀ·dO, dK += dSᵀ·Q.
// Rows go from global memory straight into fragments, Q and dO in both forms: by rows for the scores, by
// columns for the sums; the second read hits in L1. Every sum belongs to one warp, in the order of its row:
// with ascending rows the bits are reproducible.
//   A row may have all query blocks of a head. Long rows are cut (row_pieces.cu), a piece per warp; pieces
// are the first warps of the grid, so the last warps to finish are short.
// A whole row's gradients are stored in place, a piece's in separate memory, or added by reductions to that
// of the row's first piece.
//   `next_rows::ahead`: rows of the next tile are in flight while this one's gradients are added up; the
// registers allow 8 warps a multiprocessor. Without it, and with V in shared memory, 12 warps alternate.
//   `query_gradients::added`: dQ += dS·K by reductions to fp32 rows: five products in one launch instead of
// seven in two, and 4 KB of reductions per 4 KB read.
// Should move: L2 bytes, 4 KB a pair of tiles;
// L2 reductions, none or 4 KB a pair;
// with cut rows, the time of the last warp when many lists name few blocks.
#include "kernels/common/fill.h"
#include "kernels/selection_attention_backward/products.cuh"

namespace ablate::selection_attention_backward {

constexpr int key_warps = 2;

/// dQ comes from another launch, or is added up by this one.
enum class query_gradients { elsewhere, added };
/// When the next tile's rows are loaded: after this one's products, or ahead of its gradients.
enum class next_rows { behind, ahead };

/// Rows as fragments that a warp keeps in shared memory, each lane its own.
struct kept_fragments {
  uint4 chunk[4][32];

  __device__ void store(const row_fragments& rows) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const unsigned* const from = rows.word[i / 2] + i % 2 * 4;
      chunk[i][threadIdx.x % 32] = make_uint4(from[0], from[1], from[2], from[3]);
    }
  }
  /// Reloaded each time: otherwise they would stay in registers after all.
  __device__ void load(row_fragments& rows) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      unsigned* const to = rows.word[i / 2] + i % 2 * 4;
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                   : "r"(mma::shared_address(&chunk[i][threadIdx.x % 32]))
                   : "memory");
    }
  }
};

/// Query blocks of a row, or of a piece of it, and whose they are.
struct cut_part {
  static constexpr unsigned whole = ~0u;

  long long row;    ///< key block of all heads; −1: nothing to do
  long long first;  ///< among the lists' entries
  int entries;
  unsigned piece;  ///< or `whole`

  __device__ cut_part(const view& v, long long number) {
    const unsigned pieces = *v.pieces.count;
    const bool is_piece = number < pieces;
    row = is_piece ? static_cast<long long>(v.pieces.row_of_piece[number]) : number - pieces;
    if (row >= v.rows) {
      row = -1;
      return;
    }
    const long long begin = v.offsets[row], all = v.offsets[row + 1] - begin, cut = v.cut.pieces(all);
    if (!is_piece) {
      first = begin;
      entries = static_cast<int>(all);
      piece = whole;
      if (cut > 0) row = -1;
      return;
    }
    const long long index = number - v.pieces.first_of_row[row];
    first = begin + row_cut::begin(all, cut, index);
    entries = static_cast<int>(begin + row_cut::begin(all, cut, index + 1) - first);
    piece = static_cast<unsigned>(number);
  }
};

/// A piece's dK / c or dV, of one tile of keys.
__device__ float* sums_of_piece(const view& v, unsigned piece, int tile_of_block, int which) {
  const long long tiles = (static_cast<long long>(piece) << v.attention.log2_in_block) + tile_of_block;
  return v.pieces.sums + (2 * tiles + which) * (tile * width);
}

__device__ void put_sums(float* to, const lane_places& lane, const float (&sums)[columns][4], bool reduces) {
#pragma unroll
  for (int half = 0; half < 2; ++half)
#pragma unroll
    for (int four = 0; four < 4; ++four) {
      float* const at = to + place_in_sums(lane, half, four);
      const float4 x = {number_of(sums, half, 4 * four), number_of(sums, half, 4 * four + 1),
                        number_of(sums, half, 4 * four + 2), number_of(sums, half, 4 * four + 3)};
      if (reduces)
        reduce_four(at, x.x, x.y, x.z, x.w);
      else
        *reinterpret_cast<float4*>(at) = x;
    }
}

template <query_gradients Queries, next_rows Next>
__global__ __launch_bounds__(32 * key_warps, Next == next_rows::ahead ? 4 : 6) void pass_queries(
    const __grid_constant__ view v, bool reduces) {
  constexpr bool adds_queries = Queries == query_gradients::added, loads_ahead = Next == next_rows::ahead;
  const int log2_in_block = v.attention.log2_in_block;
  const long long number = blockIdx.x * static_cast<long long>(key_warps) + threadIdx.x / 32;
  const cut_part part(v, number >> log2_in_block);
  if (part.row < 0) return;
  const int tile_of_block = static_cast<int>(number) & ((1 << log2_in_block) - 1);
  const int head = static_cast<int>(part.row / v.attention.blocks);
  const lane_places lane;
  const long long of_head = head * v.attention.tokens * row_bytes;
  const long long keys =
      of_head + (((part.row % v.attention.blocks) << log2_in_block) + tile_of_block) * tile_bytes;
  const unsigned char* const queries = v.attention.q + of_head;
  const unsigned char* const gradients = v.out_gradient + of_head;
  // Neighboring queries, two for each of the lane's pairs of columns.
  const row_statistics* const statistics = v.statistics + head * v.attention.tokens + 2 * lane.in_quad;

  row_fragments key, value;
  key.load(v.attention.k + keys + lane.by_rows());
  value.load(v.attention.v + keys + lane.by_rows());
  __shared__ kept_fragments values[loads_ahead ? 1 : key_warps];
  if constexpr (!loads_ahead) values[threadIdx.x / 32].store(value);
  value_fragments key_columns;
  if constexpr (adds_queries) key_columns.load(v.attention.k + keys + lane.by_columns());

  const int count = part.entries << log2_in_block;
  const std::int32_t* const blocks = v.queries + part.first;
  const auto tile_at = [&](int i) {
    return (static_cast<unsigned>(__ldg(blocks + (i >> log2_in_block))) << log2_in_block) +
           (i & ((1 << log2_in_block) - 1));
  };
  row_fragments query, gradient;
  const auto load_rows = [&](unsigned tile_number) {
    query.load(queries + tile_number * tile_bytes + lane.by_rows());
    gradient.load(gradients + tile_number * tile_bytes + lane.by_rows());
  };
  float4 of_columns[2];  // statistics
  const auto load_statistics = [&](unsigned tile_number) {
#pragma unroll
    for (int n = 0; n < 2; ++n)
      of_columns[n] = __ldg(
          reinterpret_cast<const float4*>(statistics + static_cast<long long>(tile_number) * tile + 8 * n));
  };
  unsigned here = 0, next = 0;
  if (count > 0) {
    here = tile_at(0);
    load_rows(here);
    load_statistics(here);
  }
  if (count > 1) next = tile_at(1);
  float key_sums[columns][4] = {}, value_sums[columns][4] = {};
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    // A tile ahead of the rows that it leads to.
    const unsigned after_next = i + 2 < count ? tile_at(i + 2) : 0;
    value_fragments by_columns;
    if constexpr (loads_ahead) by_columns.load(gradients + here * tile_bytes + lane.by_columns());
    float s[2][4], dp[2][4];
    multiply_tile(s, key, query);
    if constexpr (!loads_ahead) values[threadIdx.x / 32].load(value);
    multiply_tile(dp, value, gradient);
    if constexpr (loads_ahead)
      if (i + 1 < count) load_rows(next);
    if constexpr (!loads_ahead) by_columns.load(gradients + here * tile_bytes + lane.by_columns());
    unsigned p[4], ds[4];
    differentiate_tile(
        s, dp, v.attention.scale_log2,
        [&](int n, int e) {
          return e % 2 == 0 ? row_statistics{of_columns[n].x, of_columns[n].y}
                            : row_statistics{of_columns[n].z, of_columns[n].w};
        },
        p, ds);
    if (i + 1 < count) load_statistics(next);
    add_product(value_sums, p, by_columns);
    by_columns.load(queries + here * tile_bytes + lane.by_columns());
    add_product(key_sums, ds, by_columns);
    if constexpr (adds_queries) {
      unsigned turned[4];
      transpose(turned, ds);
      reduce_product(v.query_sums + (of_head + static_cast<long long>(here) * tile_bytes) / 2, lane, turned,
                     key_columns);
    }
    if constexpr (!loads_ahead)
      if (i + 1 < count) load_rows(next);
    here = next;
    next = after_next;
  }

  if (part.piece == cut_part::whole) {
    store_rows(v.k_gradient + keys, lane, key_sums, scale, v.pooled_row(1, part.row), v.share);
    store_rows(v.v_gradient + keys, lane, value_sums, 1, v.pooled_row(2, part.row), v.share);
    return;
  }
  const unsigned to = reduces ? v.pieces.first_of_row[part.row] : part.piece;
  put_sums(sums_of_piece(v, to, tile_of_block, 0), lane, key_sums, reduces);
  put_sums(sums_of_piece(v, to, tile_of_block, 1), lane, value_sums, reduces);
}

/// A warp for each tile of keys of each row, and of each piece that may be.
template <query_gradients Queries, next_rows Next>
void pass_queries_by_keys(launcher& to, const view& v, piece_sums sums) {
  const long long tiles = (v.rows + v.max_pieces) << v.attention.log2_in_block;
  launch(to, pass_queries<Queries, Next>, dim3(blocks_for(tiles, key_warps)), dim3(32 * key_warps), 0, v,
         sums == piece_sums::together);
}

void differentiate_keys(launcher& to, const view& v, piece_sums sums, bool loads_ahead) {
  (loads_ahead ? pass_queries_by_keys<query_gradients::elsewhere, next_rows::ahead>
               : pass_queries_by_keys<query_gradients::elsewhere, next_rows::behind>)(to, v, sums);
}

void differentiate_keys_and_add(launcher& to, const view& v, piece_sums sums) {
  fill(to, {{v.query_sums, v.elements(), 0}});
  pass_queries_by_keys<query_gradients::added, next_rows::ahead>(to, v, sums);
  round_sums(to, v, v.query_sums, v.q_gradient, 0, scale);
}

}  // namespace ablate::selection_attention_backward
