// The same by warpgroup MMAs (window_attention_backward/hopper_rows.cuh): two groups of 64 queries, which
// keep the same, or one group of 64 keys, two such blocks of threads to a multiprocessor. The producer thread
// reads the bits as it goes.
// Should move, against kept_mma.cu: the tensor pipe's activity.
#include "kernels/block_sparse_attention_backward/kept_pairs.cuh"
#include "kernels/common/hopper/row_boxes.h"
#include "kernels/window_attention_backward/hopper_rows.cuh"

namespace ablate::block_sparse_attention_backward {

using namespace window_attention_backward;

template <class Shape, side Of, int Blocks>
__global__ __launch_bounds__(Shape::threads, Blocks) void differentiate_kept_by_groups(
    const __grid_constant__ hopper_maps maps, const __grid_constant__ window_attention_backward::view v,
    const __grid_constant__ kept_pairs pairs) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  differentiate_block<Shape, Of>(maps, v, [&](const row_block& b) { return kept_tiles<Of>(pairs, b); });
#endif
}

template <class Shape, side Of, int Blocks>
void run_kept_groups(launcher& to, const hopper_maps& maps, const window_attention_backward::view& v,
                     const kept_pairs& pairs) {
  constexpr std::size_t alignment = 1024;
  launch(to, differentiate_kept_by_groups<Shape, Of, Blocks>, dim3(v.blocks(Shape::rows)),
         dim3(Shape::threads), sizeof(hopper_memory<Shape>) + alignment, maps, v, pairs);
}

void differentiate_kept_on_hopper(launcher& to, const problem& p) {
  const window_attention_backward::problem rows = rows_of(p);
  const window_attention::problem& a = rows.attention;
  const auto boxes = [&](const std::uint16_t* base) {
    return hopper::row_boxes(to, {base, a.batches, a.tokens, a.heads, a.width, a.heads * a.width}, tile_rows);
  };
  const hopper_maps maps = {boxes(a.q), boxes(rows.out_gradient), boxes(a.k), boxes(a.v)};
  const window_attention_backward::view v(rows);
  const kept_pairs pairs(p);
  using of_keys = hopper_shape<hopper_rows_block{
      .width = width, .groups = 1, .stages = 4, .producer_registers = 24, .consumer_registers = 232}>;
  using of_queries = hopper_shape<hopper_rows_block{
      .width = width, .groups = 2, .stages = 4, .producer_registers = 24, .consumer_registers = 240}>;
  static_assert(of_keys::rows == rows_of_key_block && of_queries::rows == rows_of_query_block);
  run_kept_groups<of_keys, side::keys, 2>(to, maps, v, pairs);
  run_kept_groups<of_queries, side::queries, 1>(to, maps, v, pairs);
}

}  // namespace ablate::block_sparse_attention_backward
