// Pooling by a warp for each block and head, q, k and v together.
//   x̄ = 1/b Σ x over a block's b tokens; in mode pre y = rotated(normalized(x̄)) for q and k.
// 16 tokens of one head are 2 KB of each tensor, and a warp's load of 16 bytes a lane takes four rows of
// them: 12 loads a lane are all of q, k and v, on their way at once. A lane adds its four rows; two exchanges
// of eight elements, over the lanes 8 and 16 on, add up the groups. Then group g of eight lanes has the whole
// row of tensor g, and the three rows are normalized, rotated and stored side by side: one store, 128 bytes a
// row. Which warps are neighbors decides what their loads have in common: one head's blocks follow each other
// where tensors are split, one token's heads where they are packed.
// Should move: DRAM bytes a second, up to the chip's; with 4 loads in flight (q, k, v in turn) stalls on
// loads.
#include "kernels/block_pooling/launches.h"
#include "kernels/block_pooling/view.cuh"
#include "kernels/common/dependent_launch.cuh"

namespace ablate::block_pooling {

constexpr int groups = 4;        ///< of eight lanes
constexpr int rows_of_lane = 4;  ///< of 16 tokens
using piece_of_row = row_piece<8>;

/// Adds the lane's rows of 16 tokens from `first` on to `sum`; writes them where tokens are written.
template <product Product>
__device__ void add_rows(const view& v, int which, int head, int first,
                         const stored_piece<8> (&stored)[rows_of_lane], piece_of_row& sum) {
#pragma unroll
  for (int i = 0; i < rows_of_lane; ++i) {
    if constexpr (writes_tokens<Product>) {
      const int token = first + groups * i + static_cast<int>(threadIdx.x) % 32 / 8;
      unsigned char* const to = v.token_row(which, {head, token});
      if (which < 2) {
        piece_of_row row(stored[i]);
        row.normalize(v.norm_of(which));
        row.rotate(v.rotations, view::patch(token).of_lane<piece_of_row>());
        row.rounded().store(to);
        if constexpr (!normalizes_means<Product>) {
          sum.add(row);
          continue;
        }
      } else {
        stored[i].store(to);
      }
    }
    sum.add(stored[i]);
  }
}

__device__ void load_rows(const view& v, int which, int head, int first,
                          stored_piece<8> (&stored)[rows_of_lane]) {
#pragma unroll
  for (int i = 0; i < rows_of_lane; ++i)
    stored[i].load(v.input_row(which, head, first + groups * i + static_cast<int>(threadIdx.x) % 32 / 8));
}

template <int Loads, product Product>
__global__ __launch_bounds__(threads_of_block, writes_tokens<Product> ? 3 : 5) void pool_blocks_of_heads(
    const __grid_constant__ view v) {
  const int index =
      static_cast<int>(blockIdx.x) * (threads_of_block / 32) + static_cast<int>(threadIdx.x) / 32;
  if (index >= v.heads * v.blocks) return;
  let_next_kernel_begin();
  const row_place at = v.place(index, v.blocks);
  const int group = static_cast<int>(threadIdx.x) % 32 / 8, begin = at.row * v.block, end = begin + v.block;

  piece_of_row mine;  // of tensor `group`; of the last group, of v as well
  if constexpr (Loads == tensors * rows_of_lane) {
    piece_of_row sum[tensors];
#pragma unroll 1
    for (int first = begin; first < end; first += patch_block) {
      stored_piece<8> stored[tensors][rows_of_lane];
#pragma unroll
      for (int which = 0; which < tensors; ++which) load_rows(v, which, at.head, first, stored[which]);
#pragma unroll
      for (int which = 0; which < tensors; ++which)
        add_rows<Product>(v, which, at.head, first, stored[which], sum[which]);
    }
#pragma unroll
    for (int which = 0; which < tensors; ++which) {
      sum[which].add_up_rows();
      if (which <= group) mine = sum[which];
    }
  } else {
#pragma unroll 1
    for (int which = 0; which < tensors; ++which) {
      piece_of_row sum;
#pragma unroll 1
      for (int first = begin; first < end; first += patch_block) {
        stored_piece<8> stored[rows_of_lane];
        load_rows(v, which, at.head, first, stored);
        add_rows<Product>(v, which, at.head, first, stored, sum);
      }
      sum.add_up_rows();
      if (which <= group) mine = sum;
    }
  }
  mine.multiply(v.inverse_block);
  if constexpr (normalizes_means<Product>) {
    // Lanes of v take part in the exchanges, and keep their mean.
    piece_of_row row = mine;
    row.normalize(v.norm_of(group));
    row.rotate(v.rotations, v.block_place(at.row).of_lane<piece_of_row>());
    if (group < 2) mine = row;
  }
  if (group < tensors) mine.rounded().store(v.pooled_row(group, at));
}

template <int Loads, product Product>
void run_warps(launcher& to, const view& v) {
  launch(to, pool_blocks_of_heads<Loads, Product>,
         dim3(blocks_for(static_cast<long long>(v.heads) * v.blocks, threads_of_block / 32)),
         dim3(threads_of_block), 0, v);
}

template <int Loads>
void run_with_loads(launcher& to, const problem& p, bool heads_adjacent) {
  const view v(p, heads_adjacent);
  if (p.layout().is_cut()) return pool_cut_blocks(to, v, p.layout());
  const bool is_pre = p.mode == mode::pre;
  if (p.writes_tokens)
    (is_pre ? run_warps<Loads, product::tokens_and_normalized_means>
            : run_warps<Loads, product::tokens_and_means>)(to, v);
  else
    (is_pre ? run_warps<Loads, product::normalized_means> : run_warps<Loads, product::means>)(to, v);
}

void warps(launcher& to, const problem& p, const switches& s) {
  const bool heads_adjacent = s.word("neighbors") == "heads";
  (s.integer("loads_in_flight") == 4 ? run_with_loads<4> : run_with_loads<12>)(to, p, heads_adjacent);
}

void pool(launcher& to, const problem& p) { run_with_loads<12>(to, p, p.is_packed); }

}  // namespace ablate::block_pooling
