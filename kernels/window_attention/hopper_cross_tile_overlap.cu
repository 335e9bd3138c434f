// hopper_fixed_max with MMAs that overlap the softmax across query tiles, too (hopper_core/stream.cuh), at
// 64 and 128 elements a head. A window of 512 has four tiles of keys: a softmax with no product beside it,
// and outputs that are stored while the group's own products wait, come once in four, not once in 32. Should
// move: the tensor pipe's activity, the more the shorter windows are.
#include "kernels/window_attention/hopper_run.cuh"
#include "kernels/window_attention/launches.h"

namespace ablate::window_attention {

namespace {

/// Query tiles that overflow are listed and done again, as in run_and_redo. If they `overlap`, kernels
/// begin while the one in front still runs, but for the first.
template <block_shape Block>
void run_across_tiles(launcher& to, problem p, bool overlap) {
  empty_redo_list(to, view(p, Block.query_rows()), p.begins_early);
  p.begins_early = p.begins_early || overlap;
  run<forward_config{.block = Block, .softmax = fixed_max, .pingpong = true, .cross_tile = true}>(to, p);
  attend_listed_tiles(to, p);
}

void attend_cross_tile(launcher& to, const problem& p, bool overlap) {
  if (p.width == 128)
    run_across_tiles<block_128>(to, p, overlap);
  else if (is_long_window(p))
    run_across_tiles<block_64>(to, p, overlap);
  else
    run_across_tiles<short_block_64>(to, p, overlap);
}

}  // namespace

void hopper_cross_tile_overlap(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) attend_cross_tile(to, p, false);
}

void hopper_cross_tile_overlap_pdl(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) attend_cross_tile(to, p, true);
}

}  // namespace ablate::window_attention
