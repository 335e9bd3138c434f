// Tokens into another order of the patches of each image, and what attention leaves of them back.
//   A row of 128 bytes is eight lanes' 16 bytes each: whole lines are read and written, wherever they are;
// an image's order is a table of some 1000 numbers, which stays in L1.
// Should move: DRAM bytes,
// by those of Q, K, V and O read and written once more.
#include "kernels/common/launch.cuh"
#include "kernels/gated_attention/gated_attention.h"

namespace ablate::gated_attention {

constexpr int moving_threads = 256, pieces_of_row = width / 8;

struct ordered_view {
  const std::int32_t* table;
  int patches_of_image;
  long long patches, tokens, rows;  ///< rows: of all heads

  explicit ordered_view(const problem& p)
      : table(p.order_table),
        patches_of_image(p.layout().is_cut() ? block_layout::patches_of_vggt : block_layout::tokens_of_s3r),
        patches(p.layout().patches()),
        tokens(p.tokens),
        rows(p.heads * p.tokens) {}

  /// The row whose token stands at `row` of the order.
  __device__ long long token_row(long long row) const {
    const long long place = row % tokens;
    if (place >= patches) return row;
    const auto in_image = static_cast<int>(place % patches_of_image);
    return row - in_image + __ldg(table + in_image);
  }
};

struct moved_rows {
  const uint4* from[3];
  uint4* to[3];
};

/// blockIdx.y: q, k or v.
__global__ __launch_bounds__(moving_threads) void gather_tokens(const __grid_constant__ ordered_view v,
                                                                const __grid_constant__ moved_rows m) {
  const long long i = blockIdx.x * static_cast<long long>(moving_threads) + threadIdx.x,
                  row = i / pieces_of_row, piece = i % pieces_of_row;
  if (row >= v.rows) return;
  m.to[blockIdx.y][i] = m.from[blockIdx.y][v.token_row(row) * pieces_of_row + piece];
}

__global__ __launch_bounds__(moving_threads) void scatter_outputs(const __grid_constant__ ordered_view v,
                                                                  const uint4* from, const float* lse_from,
                                                                  uint4* to, float* lse_to) {
  const long long i = blockIdx.x * static_cast<long long>(moving_threads) + threadIdx.x,
                  row = i / pieces_of_row, piece = i % pieces_of_row;
  if (row >= v.rows) return;
  const long long token_row = v.token_row(row);
  to[token_row * pieces_of_row + piece] = from[i];
  if (piece == 0) lse_to[token_row] = lse_from[row];
}

const uint4* pieces_of(const std::uint16_t* rows) { return reinterpret_cast<const uint4*>(rows); }
uint4* pieces_of(std::uint16_t* rows) { return reinterpret_cast<uint4*>(rows); }

dim3 grid_of_rows(const ordered_view& v, unsigned tensors) {
  return {blocks_for(v.rows * pieces_of_row, moving_threads), tensors, 1};
}

void move_tokens(launcher& to, const problem& p) {
  const ordered_view v(p);
  const moved_rows m = {{pieces_of(p.q), pieces_of(p.k), pieces_of(p.v)},
                        {pieces_of(p.ordered[0]), pieces_of(p.ordered[1]), pieces_of(p.ordered[2])}};
  launch(to, gather_tokens, grid_of_rows(v, 3), dim3(moving_threads), 0, v, m);
}

void move_outputs_back(launcher& to, const problem& p) {
  const ordered_view v(p);
  const std::uint16_t* const from = p.ordered_out;
  launch(to, scatter_outputs, grid_of_rows(v, 1), dim3(moving_threads), 0, v, pieces_of(from), p.ordered_lse,
         pieces_of(p.out), p.lse);
}

__global__ void clear_wrongly_moved(findings* found) { found->wrongly_moved = 0; }

struct compared_moves {
  const std::uint16_t *rows[3], *ordered[3], *out, *ordered_out;
  const float *lse, *ordered_lse;
  bool has_outputs;
};

/// Element by element, each from where its token is.
__global__ __launch_bounds__(moving_threads) void compare_moved(const __grid_constant__ ordered_view v,
                                                                const __grid_constant__ compared_moves m,
                                                                findings* found) {
  const long long i = blockIdx.x * static_cast<long long>(moving_threads) + threadIdx.x;
  if (i >= v.rows * width) return;
  const long long row = i / width, place = row % v.tokens;
  const long long image = place / v.patches_of_image;
  const long long token =
      place < v.patches ? image * v.patches_of_image + v.table[place % v.patches_of_image] : place;
  const long long from = (row / v.tokens * v.tokens + token) * width + i % width;
  int wrong = 0;
#pragma unroll
  for (int of = 0; of < 3; ++of) wrong += m.ordered[of][i] != m.rows[of][from];
  if (m.has_outputs) {
    wrong += m.out[from] != m.ordered_out[i];
    wrong += i % width == 0 && __float_as_uint(m.lse[from / width]) != __float_as_uint(m.ordered_lse[row]);
  }
  if (wrong > 0) atomicAdd(&found->wrongly_moved, static_cast<unsigned long long>(wrong));
}

void judge_moves(launcher& to, const problem& p) {
  const ordered_view v(p);
  launch(to, clear_wrongly_moved, dim3(1), dim3(1), 0, p.found);
  const compared_moves m = {
      {p.q, p.k, p.v}, {p.ordered[0], p.ordered[1], p.ordered[2]}, p.out, p.ordered_out, p.lse, p.ordered_lse,
      !p.stops_ahead};
  launch(to, compare_moved, dim3(blocks_for(v.rows * width, moving_threads)), dim3(moving_threads), 0, v, m,
         p.found);
}

}  // namespace ablate::gated_attention
