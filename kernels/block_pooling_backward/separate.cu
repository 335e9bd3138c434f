// The backward pass in the steps of PyTorch's autograd, each a launch through memory: for means, rotation,
// norm, and 1/b to each token; for tokens, the sum with their block's gradient, rotation, and norm.
// Recomputed means and their gradients are stored in fp32, tokens' gradients before the norm in bf16, in
// place.
// Should move, against the fused forms: launches, and DRAM bytes where tokens are normalized (6 more an
// element of q and k instead of 6).
#include "kernels/block_pooling_backward/launches.h"
#include "kernels/block_pooling_backward/view.cuh"

namespace ablate::block_pooling_backward {

using block_pooling::mode;

/// The row of a lane's group, of `rows` a head; groups past the last take it again, since lanes of a
/// warp exchange sums, and store nothing.
template <int Elements>
struct lane_row {
  bool is_there;
  row_place at;

  __device__ lane_row(const view& v, int rows) {
    const int count = v.rows.heads * rows;
    const int index = static_cast<int>(blockIdx.x) * (threads_of_block / row_piece<Elements>::lanes) +
                      static_cast<int>(threadIdx.x) / row_piece<Elements>::lanes;
    is_there = index < count;
    at = v.rows.place(is_there ? index : count - 1, rows);
  }
};

template <int Elements>
__device__ row_piece<Elements> read_numbers(const float* row) {
  row_piece<Elements> piece;
#pragma unroll
  for (int i = 0; i < Elements; ++i) piece.x[i] = row[row_piece<Elements>::first_element() + i];
  return piece;
}
template <int Elements>
__device__ void write_numbers(const row_piece<Elements>& piece, float* row) {
#pragma unroll
  for (int i = 0; i < Elements; ++i) row[row_piece<Elements>::first_element() + i] = piece.x[i];
}

template <int Elements>
__device__ row_piece<Elements> read_row(const unsigned char* row) {
  stored_piece<Elements> stored;
  stored.load_written(row);
  return row_piece<Elements>(stored);
}

template <int Elements>
__global__ __launch_bounds__(threads_of_block) void rotate_means_back(const __grid_constant__ view v,
                                                                      int which) {
  const lane_row<Elements> lane(v, v.rows.blocks);
  row_piece<Elements> row = read_row<Elements>(v.pooled_row(which, lane.at));
  row.rotate_back(v.rows.rotations, v.rows.block_place(lane.at.row).template of_lane<row_piece<Elements>>());
  if (lane.is_there) write_numbers(row, v.mean_gradient_row(which, lane.at));
}

template <int Elements>
__global__ __launch_bounds__(threads_of_block) void normalize_means_back(const __grid_constant__ view v,
                                                                         int which) {
  const lane_row<Elements> lane(v, v.rows.blocks);
  float* const at = v.mean_gradient_row(which, lane.at);
  row_piece<Elements> row = read_numbers<Elements>(at);
  row.normalize_back(v.rows.norm_of(which), read_numbers<Elements>(v.rows.mean_row(which, lane.at)));
  if (lane.is_there) write_numbers(row, at);
}

/// mode::post: together with what each token has from its block.
template <int Elements, mode Mode>
__global__ __launch_bounds__(threads_of_block) void rotate_tokens_back(const __grid_constant__ view v,
                                                                       int which) {
  const lane_row<Elements> lane(v, v.rows.tokens);
  row_piece<Elements> row;
  if constexpr (Mode == mode::post) {
    row = read_row<Elements>(v.pooled_row(which, {lane.at.head, lane.at.row / v.rows.block}));
    row.multiply(v.rows.inverse_block);
  }
  row.add(read_row<Elements>(v.token_row(which, lane.at)));
  row.rotate_back(v.rows.rotations,
                  block_pooling::view::patch(lane.at.row).template of_lane<row_piece<Elements>>());
  if (lane.is_there) row.rounded().store(v.gradient_row(which, lane.at));
}

template <int Elements>
__global__ __launch_bounds__(threads_of_block) void normalize_tokens_back(const __grid_constant__ view v,
                                                                          int which) {
  const lane_row<Elements> lane(v, v.rows.tokens);
  unsigned char* const at = v.gradient_row(which, lane.at);
  row_piece<Elements> row = read_row<Elements>(at);
  row.normalize_back(v.rows.norm_of(which),
                     read_row<Elements>(v.rows.input_row(which, lane.at.head, lane.at.row)));
  if (lane.is_there) row.rounded().store(at);
}

template <int Elements, added Added>
__global__ __launch_bounds__(threads_of_block) void spread_means(const __grid_constant__ view v, int which) {
  const lane_row<Elements> lane(v, v.rows.tokens);
  if (!lane.is_there) return;
  row_piece<Elements> row =
      read_numbers<Elements>(v.mean_gradient_row(which, {lane.at.head, lane.at.row / v.rows.block}));
  row.multiply(v.rows.inverse_block);
  if constexpr (Added == added::given_tokens) row.add(read_row<Elements>(v.token_row(which, lane.at)));
  if constexpr (Added == added::gradients) row.add(read_row<Elements>(v.gradient_row(which, lane.at)));
  row.rounded().store(v.gradient_row(which, lane.at));
}

/// The steps of q or k, where something is normalized.
template <int Elements>
void run_steps(launcher& to, const problem& p, const view& v, int which) {
  constexpr int rows_at_once = threads_of_block / row_piece<Elements>::lanes;
  const auto run = [&](auto* kernel, int rows) {
    launch(to, kernel, dim3(blocks_for(static_cast<long long>(v.rows.heads) * rows, rows_at_once)),
           dim3(threads_of_block), 0, v, which);
  };
  const int tokens = v.rows.tokens, blocks = v.rows.blocks;
  const bool is_pre = p.pooling.mode == mode::pre;
  if (p.given == given::tokens) {
    run(is_pre ? rotate_tokens_back<Elements, mode::pre> : rotate_tokens_back<Elements, mode::post>, tokens);
    run(normalize_tokens_back<Elements>, tokens);
  }
  if (!is_pre) return;
  pool_tensor(to, v.rows, which, 2 * Elements, block_pooling::product::fp32_means);
  run(rotate_means_back<Elements>, blocks);
  run(normalize_means_back<Elements>, blocks);
  run(p.given == given::pooled  ? spread_means<Elements, added::nothing>
      : p.given == given::added ? spread_means<Elements, added::given_tokens>
                                : spread_means<Elements, added::gradients>,
      tokens);
}

void separate(launcher& to, const problem& p, const switches& s) {
  const view v(p, false);
  const int load_bytes = static_cast<int>(s.integer("load_bytes"));
  for (int which = 0; which < tensors; ++which) {
    if (which < 2 && p.normalizes())
      (load_bytes == 4 ? run_steps<2> : run_steps<8>)(to, p, v, which);
    else
      spread_pooled(to, v, p.pooling.layout(), load_bytes, p.given != given::pooled, which, 1);
  }
}

}  // namespace ablate::block_pooling_backward
