// Two kernels by warpgroup products (hopper_rows.cuh), one for dK and dV, one for dQ: seven products of the
// window's size instead of five, and nothing but the inputs goes through shared memory. No atomics, the
// same bits each time. Should move: the tensor pipe's activity, against mma_two_pass.
#include "kernels/common/hopper/row_boxes.h"
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/hopper_rows.cuh"

namespace ablate::window_attention_backward {

namespace {

template <class Shape, side Of>
void run_side(launcher& to, const hopper_maps& maps, const view& v) {
  constexpr std::size_t alignment = 1024;
  launch(to, differentiate_on_hopper<Shape, Of>, dim3(v.blocks(Shape::rows)), dim3(Shape::threads),
         sizeof(hopper_memory<Shape>) + alignment, maps, v);
}

template <hopper_rows_block Queries, hopper_rows_block Keys>
void run(launcher& to, const problem& p) {
  const window_attention::problem& a = p.attention;
  const auto boxes = [&](const std::uint16_t* base) {
    return hopper::row_boxes(to, {base, a.batches, a.tokens, a.heads, a.width, a.heads * a.width}, tile_rows);
  };
  static_assert(tile_rows == group_rows);
  const hopper_maps maps = {boxes(a.q), boxes(p.out_gradient), boxes(a.k), boxes(a.v)};
  const view v(p);
  compute_row_statistics(to, p);
  run_side<hopper_shape<Keys>, side::keys>(to, maps, v);
  run_side<hopper_shape<Queries>, side::queries>(to, maps, v);
}

}  // namespace

void differentiate_in_two_passes_on_hopper(launcher& to, const problem& p) {
  constexpr auto three_groups = [](int width) {
    return hopper_rows_block{
        .width = width, .groups = 3, .stages = 4, .producer_registers = 32, .consumer_registers = 160};
  };
  constexpr auto two_groups = [](int width, int stages) {
    return hopper_rows_block{
        .width = width, .groups = 2, .stages = stages, .producer_registers = 24, .consumer_registers = 240};
  };
  switch (p.attention.width) {
    case 16:
      run<three_groups(16), three_groups(16)>(to, p);
      break;
    case 32:
      run<three_groups(32), three_groups(32)>(to, p);
      break;
    case 64:
      run<three_groups(64), two_groups(64, 4)>(to, p);
      break;
    default:
      run<two_groups(128, 3), two_groups(128, 3)>(to, p);
  }
}

}  // namespace ablate::window_attention_backward
