// Tokens into another order of the patches of each image, and what attention leaves of them back.
//   A row of 128 bytes is eight lanes' 16 bytes each: whole lines are read and written, wherever they are;
// an image's order is a table of some 1000 numbers, which stays in L1.
// Should move: DRAM bytes,
// by those of Q, K, V and O read and written again.
#include "kernels/block_sparse_attention/ordered_view.cuh"
#include "kernels/common/launch.cuh"

namespace ablate::block_sparse_attention {

constexpr int moving_threads = 256, pieces_of_row = width / 8;

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

}  // namespace ablate::block_sparse_attention
