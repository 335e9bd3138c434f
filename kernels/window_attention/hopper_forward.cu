// Forward attention on Hopper, one block shape a head width: see hopper_forward.cuh.
#include "kernels/window_attention/hopper_run.cuh"
#include "kernels/window_attention/launches.h"

namespace ablate::window_attention {

void attend_listed_tiles(launcher& to, const problem& p) {
  using options = forward_options<softmax_form::online, 0, false, false, true>;
  switch (p.width) {
    case 16:
      run<shape_16, options>(to, p);
      break;
    case 32:
      run<shape_32, options>(to, p);
      break;
    case 64:
      run<shape_64, options>(to, p);
      break;
    default:
      run<shape_128, options>(to, p);
  }
}

void attend_from_first_tile_on_hopper(launcher& to, const problem& p, turns taken) {
  switch (p.width) {
    case 16:
      run_from_first_tile<shape_16, 2, false, true>(to, p);
      break;
    case 32:
      run_from_first_tile<shape_32, 2, false, true>(to, p);
      break;
    case 64:
      if (taken == turns::never)
        run_from_first_tile<shape_64, 0, false, false>(to, p);
      else if (taken == turns::always || is_long_window(p))
        run_from_first_tile<shape_64, 0, true, false>(to, p);
      else
        run_from_first_tile<short_shape_64, 0, true, false>(to, p);
      break;
    default:
      run_from_first_tile<shape_128, 0, true, false>(to, p);
  }
}

void hopper_first_tile(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) attend_from_first_tile_on_hopper(to, p);
}

void attend_online_on_hopper(launcher& to, const problem& p, blocks_of_run form) {
  using options = forward_options<softmax_form::online>;
  switch (p.width) {
    case 16:
      run<shape_16, options>(to, p, form);
      break;
    case 32:
      run<shape_32, options>(to, p, form);
      break;
    case 64:
      run<shape_64, options>(to, p, form);
      break;
    default:
      run<shape_128, options>(to, p, form);
  }
}

void hopper_online(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) attend_online_on_hopper(to, p);
}

/// hopper_first_tile at up to 32 elements a head, where somebody has emptied the list: all of scratch is 0.
void hopper_first_tile_on_empty_list(launcher& to, const problem& p) {
  p.width == 16 ? run_from_first_tile<shape_16, 2, false, true>(to, p, true)
                : run_from_first_tile<shape_32, 2, false, true>(to, p, true);
}

void hopper_bounded(launcher& to, const problem& p, const switches&) {
  using plain = forward_options<softmax_form::bounded>;
  using mixed = forward_options<softmax_form::bounded, 4>;
  if (p.does(phase::attend)) {
    switch (p.width) {
      case 16:
        run<shape_16, mixed>(to, p);
        break;
      case 32:
        run<shape_32, mixed>(to, p);
        break;
      case 64:
        run<shape_64, plain>(to, p);
        break;
      default:
        run<shape_128, plain>(to, p);
    }
    attend_listed_tiles(to, p);
  }
}

}  // namespace ablate::window_attention
