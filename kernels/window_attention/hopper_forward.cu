// Forward attention on Hopper, one block shape a head width: see hopper_forward.cuh.
#include "kernels/window_attention/hopper_run.cuh"
#include "kernels/window_attention/launches.h"

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

void attend_with_fixed_max_on_hopper(launcher& to, const problem& p, pingpong taken) {
  switch (p.width) {
    case 16:
      run_and_redo<forward_config{.block = block_16, .softmax = narrow_fixed_max}>(to, p);
      break;
    case 32:
      run_and_redo<forward_config{.block = block_32, .softmax = narrow_fixed_max}>(to, p);
      break;
    case 64:
      if (taken == pingpong::never)
        run_and_redo<forward_config{.block = block_64, .softmax = fixed_max}>(to, p);
      else if (taken == pingpong::always || is_long_window(p))
        run_and_redo<forward_config{.block = block_64, .softmax = fixed_max, .pingpong = true}>(to, p);
      else
        run_and_redo<forward_config{.block = short_block_64, .softmax = fixed_max, .pingpong = true}>(to, p);
      break;
    default:
      run_and_redo<forward_config{.block = block_128, .softmax = fixed_max, .pingpong = true}>(to, p);
  }
}

void hopper_fixed_max(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) attend_with_fixed_max_on_hopper(to, p);
}

void attend_online_on_hopper(launcher& to, const problem& p, blocks_of_run form) {
  with_block(p.width, [&](auto of_width) { run<decltype(of_width)::config>(to, p, form); });
}

void hopper_online(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) attend_online_on_hopper(to, p);
}

/// hopper_fixed_max at up to 32 elements a head, where somebody has emptied the list: all of scratch is 0.
void hopper_fixed_max_on_empty_list(launcher& to, const problem& p) {
  if (p.width == 16)
    run_and_redo<forward_config{.block = block_16, .softmax = narrow_fixed_max}>(to, p, true);
  else
    run_and_redo<forward_config{.block = block_32, .softmax = narrow_fixed_max}>(to, p, true);
}

/// Below 64 elements the exponential unit limits: 4 of 16 exponentials go to the FMA pipe.
void hopper_bounded(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) {
    with_block(p.width, [&](auto of_width) {
      constexpr block_shape block = decltype(of_width)::config.block;
      run<forward_config{
          .block = block,
          .softmax = {.software_exp2 = block.width < 64 ? 4 : 0, .form = softmax_form::bounded}}>(to, p);
    });
    attend_listed_tiles(to, p);
  }
}

}  // namespace ablate::window_attention
