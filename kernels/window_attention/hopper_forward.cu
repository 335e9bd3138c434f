// Forward attention on Hopper, one block shape a head width: see hopper_forward.cuh.
#include "kernels/window_attention/hopper_run.cuh"

namespace ablate::window_attention {

/// Calls `then` with the block of the width as a constant. Not in an unnamed namespace, since GCC would give
/// kernels of configurations that are written here no exported symbol.
template <class Then>
void with_block(int width, Then then) {
  switch (width) {
    case 16:
      return then(configured<forward_config{.block = block_16}>());
    case 32:
      return then(configured<forward_config{.block = block_32}>());
    case 64:
      return then(configured<forward_config{.block = block_64}>());
    default:
      return then(configured<forward_config{.block = block_128}>());
  }
}

void attend_listed_tiles(launcher& to, const problem& p) {
  with_block(p.width, [&](auto of_width) {
    run<forward_config{.block = decltype(of_width)::config.block, .softmax = {}, .from_list = true}>(to, p);
  });
}

void attend_with_fixed_max_on_hopper(launcher& to, const problem& p, pingpong taken, run_form form) {
  switch (p.width) {
    case 16:
      run_and_redo<forward_config{.block = block_16, .softmax = narrow_fixed_max}>(to, p, form);
      break;
    case 32:
      run_and_redo<forward_config{.block = block_32, .softmax = narrow_fixed_max}>(to, p, form);
      break;
    case 64:
      if (taken == pingpong::never)
        run_and_redo<forward_config{.block = block_64, .softmax = fixed_max}>(to, p, form);
      else if (taken == pingpong::always || is_long_window(p))
        run_and_redo<forward_config{.block = block_64, .softmax = fixed_max, .pingpong = true}>(to, p, form);
      else
        run_and_redo<forward_config{.block = short_block_64, .softmax = fixed_max, .pingpong = true}>(to, p,
                                                                                                      form);
      break;
    default:
      run_and_redo<forward_config{.block = block_128, .softmax = fixed_max, .pingpong = true}>(to, p, form);
  }
}

void attend_online_on_hopper(launcher& to, const problem& p, blocks_of_run form) {
  with_block(p.width, [&](auto of_width) { run<decltype(of_width)::config>(to, p, form); });
}

/// Below 64 elements the exponential unit limits: 4 of 16 exponentials go to the FMA pipe.
void attend_bounded_on_hopper(launcher& to, const problem& p) {
  with_block(p.width, [&](auto of_width) {
    constexpr block_shape block = decltype(of_width)::config.block;
    run<forward_config{
        .block = block,
        .softmax = {.software_exp2 = block.width < 64 ? 4 : 0, .form = softmax_form::bounded}}>(to, p);
  });
  attend_listed_tiles(to, p);
}

}  // namespace ablate::window_attention
