// hopper_fixed_max with MMAs that overlap the softmax across query tiles, too (hopper_core/stream.cuh), at
// 64 and 128 elements a head. A window of 512 has four tiles of keys: a softmax with no product beside it,
// and outputs that are stored while the group's own products wait, come once in four, not once in 32. Should
// move: the tensor pipe's activity, the more the shorter windows are. Query tiles that overflow are listed
// and done again, as in run_and_redo.
#include "kernels/window_attention/hopper_run.cuh"

namespace ablate::window_attention {

namespace {

template <block_shape Block>
void run_across_tiles(launcher& to, const problem& p, run_form form) {
  run_and_redo<forward_config{.block = Block, .softmax = fixed_max, .pingpong = true, .cross_tile = true}>(
      to, p, form);
}

}  // namespace

void attend_across_tiles_on_hopper(launcher& to, const problem& p, run_form form) {
  if (p.width == 128)
    run_across_tiles<block_128>(to, p, form);
  else if (is_long_window(p))
    run_across_tiles<block_64>(to, p, form);
  else
    run_across_tiles<short_block_64>(to, p, form);
}

}  // namespace ablate::window_attention
