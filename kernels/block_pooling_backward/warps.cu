// Back through rotation, norm and mean by a warp for each block and head, in one launch.
//   dx_t = N'(R'(dy_t [+ 1/b · dp])) [+ 1/b · N'(R'(dp))]: kernels/block_pooling_backward.h says which.
// A row of 64 bf16 is eight lanes of 16 bytes, so a warp's load takes four of a block's rows. Rows are
// normalized and rotated in registers: the sums of a norm go over eight lanes, and each lane has the partners
// of its elements in one other. In mode::pre the warp adds up the block's rows first, and then has the mean,
// and what the block's gradient is after norm and rotation, in each of its four groups of lanes: nothing
// waits in memory, and the block's rows, read again where tokens are normalized, come from cache.
//   `warp=block`: q, k and v in turn; `warp=tensor`: a warp each. `neighbors`: as in block_pooling/warps.cu.
// No sum goes over warps: the same bits each time.
// Should move: DRAM bytes a second, up to the chip's.
#include "kernels/block_pooling_backward/launches.h"
#include "kernels/block_pooling_backward/view.cuh"

namespace ablate::block_pooling_backward {

using block_pooling::mode;

/// What a warp takes back: one tensor of a block and head (blockIdx.y), or q, k and v in turn.
enum class warp_share { tensor, block };

constexpr int rows_at_once = 4, rows_of_lane = 4;  ///< 16 tokens: four of a lane
using piece_of_row = row_piece<8>;
using stored_rows = stored_piece<8>[rows_of_lane];

/// The lane's token among 16 from `first` on.
__device__ int token_of_lane(int first, int i) {
  return first + rows_at_once * i + static_cast<int>(threadIdx.x) % 32 / piece_of_row::lanes;
}

__device__ void load_inputs(const view& v, int which, int head, int first, stored_rows& rows) {
#pragma unroll
  for (int i = 0; i < rows_of_lane; ++i) rows[i].load(v.rows.input_row(which, head, token_of_lane(first, i)));
}

/// Of a block's rows as they are, in all groups of lanes.
__device__ piece_of_row mean_of_rows(const view& v, int which, int head, int begin, int end) {
  piece_of_row sum;
#pragma unroll 1
  for (int first = begin; first < end; first += block_pooling::patch_block) {
    stored_rows inputs;
    load_inputs(v, which, head, first, inputs);
#pragma unroll
    for (int i = 0; i < rows_of_lane; ++i) sum.add(inputs[i]);
  }
  sum.add_up_rows();
  sum.multiply(v.rows.inverse_block);
  return sum;
}

template <mode Mode, given Given>
__device__ void take_tensor_back(const view& v, int which, const row_place& at) {
  constexpr bool is_pre = Mode == mode::pre;
  const int begin = at.row * v.rows.block, end = begin + v.rows.block;
  const bool is_normalized = which < 2;
  const float* const weights = v.rows.norm_of(which);

  stored_piece<8> pooled;
  pooled.load(v.pooled_row(which, at));
  piece_of_row of_block(pooled);
  if (is_pre && is_normalized) {
    const piece_of_row mean = mean_of_rows(v, which, at.head, begin, end);
    of_block.rotate_back(v.rows.rotations, v.rows.block_place(at.row).of_lane<piece_of_row>());
    of_block.normalize_back(weights, mean);
  }
  of_block.multiply(v.rows.inverse_block);

#pragma unroll 1
  for (int first = begin; first < end; first += block_pooling::patch_block) {
    if constexpr (Given == given::pooled) {
#pragma unroll
      for (int i = 0; i < rows_of_lane; ++i)
        of_block.rounded().store(v.gradient_row(which, {at.head, token_of_lane(first, i)}));
    } else {
      stored_rows given_rows, inputs;
#pragma unroll
      for (int i = 0; i < rows_of_lane; ++i)
        given_rows[i].load_written(v.token_row(which, {at.head, token_of_lane(first, i)}));
      if (Given == given::tokens && is_normalized) load_inputs(v, which, at.head, first, inputs);
#pragma unroll
      for (int i = 0; i < rows_of_lane; ++i) {
        const int token = token_of_lane(first, i);
        piece_of_row row(given_rows[i]);
        if (Given == given::tokens && is_normalized) {
          if constexpr (!is_pre) row.add(of_block);
          row.rotate_back(v.rows.rotations, block_pooling::view::patch(token).of_lane<piece_of_row>());
          row.normalize_back(weights, piece_of_row(inputs[i]));
          if constexpr (is_pre) row.add(of_block);
        } else {
          row.add(of_block);
        }
        row.rounded().store(v.gradient_row(which, {at.head, token}));
      }
    }
  }
}

template <warp_share Share, mode Mode, given Given>
__global__ __launch_bounds__(threads_of_block, 5) void take_blocks_back(const __grid_constant__ view v) {
  const int index =
      static_cast<int>(blockIdx.x) * (threads_of_block / 32) + static_cast<int>(threadIdx.x) / 32;
  if (index >= v.rows.heads * v.rows.blocks) return;
  const row_place at = v.rows.place(index, v.rows.blocks);
  if constexpr (Share == warp_share::tensor) {
    take_tensor_back<Mode, Given>(v, static_cast<int>(blockIdx.y), at);
  } else {
#pragma unroll 1
    for (int which = 0; which < tensors; ++which) take_tensor_back<Mode, Given>(v, which, at);
  }
}

template <warp_share Share, mode Mode, given Given>
void run_warps(launcher& to, const view& v) {
  launch(to, take_blocks_back<Share, Mode, Given>,
         dim3(blocks_for(static_cast<long long>(v.rows.heads) * v.rows.blocks, threads_of_block / 32),
              Share == warp_share::tensor ? tensors : 1),
         dim3(threads_of_block), 0, v);
}

template <warp_share Share, mode Mode>
void run_given(launcher& to, const view& v, given of) {
  (of == given::pooled  ? run_warps<Share, Mode, given::pooled>
   : of == given::added ? run_warps<Share, Mode, given::added>
                        : run_warps<Share, Mode, given::tokens>)(to, v);
}

template <warp_share Share>
void run_mode(launcher& to, const view& v, const problem& p) {
  const bool is_pre = p.pooling.mode == mode::pre;
  (is_pre ? run_given<Share, mode::pre> : run_given<Share, mode::post>)(to, v, p.given);
}

void warps(launcher& to, const problem& p, const switches& s) {
  const view v(p, s.word("neighbors") == "heads");
  if (p.pooling.layout().is_cut())
    return spread_pooled(to, v, p.pooling.layout(), 16, p.given != given::pooled, 0, tensors);
  if (s.word("warp") == "tensor")
    run_mode<warp_share::tensor>(to, v, p);
  else
    run_mode<warp_share::block>(to, v, p);
}

}  // namespace ablate::block_pooling_backward
