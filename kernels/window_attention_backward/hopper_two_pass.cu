// Two kernels by warpgroup products (hopper_rows.cuh), one for dK and dV, one for dQ: seven products of the
// window's size in the place of five, and nothing but the inputs goes through shared memory. No atomics, the
// same bits each time. Should move: the tensor pipe's activity, against mma_two_pass.
#include "kernels/common/hopper/row_boxes.h"
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/hopper_rows.cuh"
#include "kernels/window_attention_backward/launches.h"

namespace ablate::window_attention_backward {

namespace {

template <class Shape, side Of>
void run_side(launcher& to, const hopper_maps& maps, const view& v) {
  constexpr std::size_t alignment = 1024;
  launch(to, differentiate_on_hopper<Shape, Of>, dim3(v.blocks(Shape::rows)), dim3(Shape::threads),
         sizeof(hopper_memory<Shape>) + alignment, maps, v);
}

template <class QueryShape, class KeyShape>
void run(launcher& to, const problem& p) {
  const window_attention::problem& a = p.attention;
  const auto boxes = [&](const std::uint16_t* base) {
    return hopper::row_boxes(to, {base, a.batches, a.tokens, a.heads, a.width, a.heads * a.width}, tile_rows);
  };
  static_assert(tile_rows == group_rows);
  const hopper_maps maps = {boxes(a.q), boxes(p.out_gradient), boxes(a.k), boxes(a.v)};
  const view v(p);
  compute_row_statistics(to, p);
  run_side<KeyShape, side::keys>(to, maps, v);
  run_side<QueryShape, side::queries>(to, maps, v);
}

}  // namespace

void differentiate_in_two_passes_on_hopper(launcher& to, const problem& p) {
  switch (p.attention.width) {
    case 16:
      run<hopper_shape<16, 3, 4, 32, 160>, hopper_shape<16, 3, 4, 32, 160>>(to, p);
      break;
    case 32:
      run<hopper_shape<32, 3, 4, 32, 160>, hopper_shape<32, 3, 4, 32, 160>>(to, p);
      break;
    case 64:
      run<hopper_shape<64, 3, 4, 32, 160>, hopper_shape<64, 2, 4, 24, 240>>(to, p);
      break;
    default:
      run<hopper_shape<128, 2, 3, 24, 240>, hopper_shape<128, 2, 3, 24, 240>>(to, p);
  }
}

void hopper_two_pass(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::differentiate)) differentiate_in_two_passes_on_hopper(to, p);
}

}  // namespace ablate::window_attention_backward
