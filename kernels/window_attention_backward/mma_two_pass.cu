// Two kernels, one for dK and dV with keys that stay, one for dQ with queries that stay (mma_rows.cuh): seven
// products of the window's size instead of five and each exponential twice, but every sum is one
// thread's own, in one order: no atomics, the same bits each time. Should move: L2 reductions to none.
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/mma_rows.cuh"

namespace ablate::window_attention_backward {

template <class Shape, side Of>
__global__ __launch_bounds__(Shape::threads, Shape::blocks) void differentiate_rows(view v) {
  extern __shared__ __align__(128) unsigned char shared[];
  auto& tiles = *reinterpret_cast<streamed_tile<Shape>(*)[2]>(shared);
  const row_block b = v.block_of(blockIdx.x, Shape::rows);
  mma_rows<Shape, Of> kept(v, b);
  stream_window<Shape, Of>(
      v, b, tiles, reinterpret_cast<int*>(&tiles + 1),
      [&](const streamed_tile<Shape>& tile, int) { kept.pass(tile, [](int, int, const unsigned(&)[4]) {}); });
  kept.store(v, b);
}

namespace {

template <class Shape, side Of>
void run_side(launcher& to, const view& v) {
  launch(to, differentiate_rows<Shape, Of>, dim3(v.blocks(Shape::rows)), dim3(Shape::threads),
         2 * sizeof(streamed_tile<Shape>) + tile_rows_bytes(v), v);
}

template <mma_rows_block Queries, mma_rows_block Keys>
void run_by_mma(launcher& to, const problem& p) {
  const view v(p);
  compute_row_statistics(to, p);
  run_side<mma_shape<Keys>, side::keys>(to, v);
  run_side<mma_shape<Queries>, side::queries>(to, v);
}

}  // namespace

void differentiate_in_two_passes_by_mma(launcher& to, const problem& p) {
  switch (p.attention.width) {
    case 16:
      run_by_mma<mma_rows_block{.width = 16, .warps = 4, .chunk = 32, .blocks = 4},
                 mma_rows_block{.width = 16, .warps = 4, .chunk = 32, .blocks = 3}>(to, p);
      break;
    case 32:
      run_by_mma<mma_rows_block{.width = 32, .warps = 4, .chunk = 32, .blocks = 3},
                 mma_rows_block{.width = 32, .warps = 4, .chunk = 16, .blocks = 3}>(to, p);
      break;
    case 64:
      run_by_mma<mma_rows_block{.width = 64, .warps = 4, .chunk = 32, .blocks = 2},
                 mma_rows_block{.width = 64, .warps = 8, .chunk = 32, .blocks = 1}>(to, p);
      break;
    default:
      run_by_mma<mma_rows_block{.width = 128, .warps = 8, .chunk = 32, .blocks = 1},
                 mma_rows_block{.width = 128, .warps = 8, .chunk = 16, .blocks = 1}>(to, p);
  }
}

}  // namespace ablate::window_attention_backward
