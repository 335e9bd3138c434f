// The gradients of attention to kept blocks by mma.sync, in two kernels as mma_two_pass.cu: 128 queries stay
// while the key blocks that they keep pass by, for dQ; 64 keys, one block, stay while the query blocks that
// keep them do, for dK and dV. Seven products of the kept pairs, no atomics, the same bits each time.
// Should move, against the dense pass: all of it by the kept share.
#include "kernels/block_sparse_attention_backward/kept_pairs.cuh"
#include "kernels/window_attention_backward/mma_rows.cuh"

namespace ablate::block_sparse_attention_backward {

using namespace window_attention_backward;

/// That of mma_two_pass.cu's queries, for blocks of other lengths.
template <int Rows>
using kept_shape =
    mma_shape<mma_rows_block{.width = width, .rows = Rows, .warps = 4, .chunk = 32, .blocks = 2}>;

template <class Shape, side Of>
__global__ __launch_bounds__(Shape::threads, Shape::blocks) void differentiate_kept_rows(
    const __grid_constant__ window_attention_backward::view v, const __grid_constant__ kept_pairs pairs) {
  extern __shared__ __align__(128) unsigned char raw[];
  auto& tiles = *reinterpret_cast<streamed_tile<Shape>(*)[2]>(raw);
  const row_block b = v.block_of(blockIdx.x, Shape::rows);
  mma_rows<Shape, Of> own(v, b);
  kept_tiles<Of> met(pairs, b);
  const int count = met.count();
  if (count > 0) start_tile<Shape, Of>(tiles[0], v, b, met.next());
#pragma unroll 1
  for (int t = 0; t < count; ++t) {
    mma::copy_wait<0>();
    __syncthreads();
    if (t + 1 < count) start_tile<Shape, Of>(tiles[(t + 1) % 2], v, b, met.next());
    own.pass(tiles[t % 2], [](int, int, const unsigned(&)[4]) {});
  }
  own.store(v, b);
}

template <class Shape, side Of>
void run_kept_side(launcher& to, const window_attention_backward::view& v, const kept_pairs& pairs) {
  launch(to, differentiate_kept_rows<Shape, Of>, dim3(v.blocks(Shape::rows)), dim3(Shape::threads),
         2 * sizeof(streamed_tile<Shape>), v, pairs);
}

void differentiate_kept_by_mma(launcher& to, const problem& p) {
  const window_attention_backward::view v(rows_of(p));
  const kept_pairs pairs(p);
  run_kept_side<kept_shape<rows_of_key_block>, side::keys>(to, v, pairs);
  run_kept_side<kept_shape<rows_of_query_block>, side::queries>(to, v, pairs);
}

}  // namespace ablate::block_sparse_attention_backward
