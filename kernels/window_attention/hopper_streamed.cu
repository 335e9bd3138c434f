// TBD
#include "kernels/window_attention/hopper_run.cuh"

namespace ablate::window_attention {

struct options_across_tiles : forward_options<softmax_form::first_tile, 0, true, false> {
  static constexpr bool across_tiles = true;
};

template <class Shape>
void run_streamed(launcher& to, const problem& p) {
  empty_redo_list(to, view(p, Shape::query_rows));
  run<Shape, options_across_tiles>(to, p);
  attend_listed_tiles(to, p);
}

void hopper_streamed(launcher& to, const problem& p, const switches&) {
    run_streamed<shape_128>(to, p);
    run_streamed<shape_64>(to, p);
    run_streamed<short_shape_64>(to, p);
}

}  // namespace ablate::window_attention
