// Pooling of blocks of 16 or 4 tokens (block_layout.h, vggt): the mean of the existing ones.
//   x̄ = 1/n Σ x over a block's n tokens. As in warps.cu, a warp has a block of one head, its q, k and v
// together: a 16-byte load per lane covers four rows, so a cut block is one load of each tensor, and group g
// of eight lanes stores the row of tensor g. Should move, against warps.cu: only the loads of cut blocks.
#include "kernels/block_pooling/view.cuh"

namespace ablate::block_pooling {

constexpr int rows_at_once = 4;  ///< a group of eight lanes has one of them

__global__ __launch_bounds__(threads_of_block,
                             5) void pool_spans(const __grid_constant__ view v,
                                                const __grid_constant__ block_layout layout) {
  const int index =
      static_cast<int>(blockIdx.x) * (threads_of_block / 32) + static_cast<int>(threadIdx.x) / 32;
  if (index >= v.heads * v.blocks) return;
  const row_place at = v.place(index, v.blocks);
  const token_span span = layout.span(at.row);
  const int group = static_cast<int>(threadIdx.x) % 32 / 8, first = static_cast<int>(span.first) + group;

  stored_piece<8> stored[tensors][patch_block / rows_at_once];
#pragma unroll
  for (int i = 0; i < patch_block / rows_at_once; ++i)
    if (i * rows_at_once < span.count)
#pragma unroll
      for (int which = 0; which < tensors; ++which)
        stored[which][i].load(v.input_row(which, at.head, first + i * rows_at_once));
  row_piece<8> mine;
#pragma unroll
  for (int which = 0; which < tensors; ++which) {
    row_piece<8> sum;
#pragma unroll
    for (int i = 0; i < patch_block / rows_at_once; ++i)
      if (i * rows_at_once < span.count) sum.add(stored[which][i]);
    sum.add_up_rows();
    if (which <= group) mine = sum;
  }
  mine.multiply(1.0f / static_cast<float>(span.count));
  if (group < tensors) mine.rounded().store(v.pooled_row(group, at));
}

void pool_cut_blocks(launcher& to, const view& v, const block_layout& layout) {
  launch(to, pool_spans, dim3(blocks_for(static_cast<long long>(v.heads) * v.blocks, threads_of_block / 32)),
         dim3(threads_of_block), 0, v, layout);
}

}  // namespace ablate::block_pooling
