// hopper_first_tile with MMAs that overlap the softmax across query tiles, too (hopper_core/stream.cuh), at
// 64 and 128 elements a head. A window of 512 has four tiles of keys: a softmax with no product beside it,
// and outputs that are stored while the group's own products wait, come once in four, not once in 32. Should
// move: the tensor pipe's activity, the more the shorter windows are. hopper_streamed_online: hopper_online
// likewise, with turns, at 128 elements: what a running maximum costs is then behind the products, and
// neither is a list emptied before nor done again behind. hopper_streamed_pairs: two blocks of a cluster take
// neighboring query tiles, and what either copies of keys and values goes to both. Should move, against
// hopper_streamed: bytes from L2, by nearly half, and with them power, which binds at 64 and 128 elements.
#include "kernels/window_attention/hopper_run.cuh"
#include "kernels/window_attention/launches.h"

namespace ablate::window_attention {

/// Each of two blocks of a cluster, which take neighboring query tiles of a window and share its keys and
/// values: each brings half of a tile, and the copies go to both.
constexpr block_shape paired(block_shape block) {
  block.blocks = 2;
  // With two groups, the producer, which has more to know, has more registers.
  if (block.groups == 2) block.producer_registers = 40, block.consumer_registers = 232;
  return block;
}

namespace {

/// Query tiles that overflow are listed and done again, as in run_and_redo. If they `overlap`, kernels
/// begin while the one in front still runs, but for the first.
template <block_shape Block>
void run_across_tiles(launcher& to, problem p, bool overlap = false) {
  empty_redo_list(to, view(p, Block.query_rows()), p.begins_early);
  p.begins_early = p.begins_early || overlap;
  run<forward_config{.block = Block, .softmax = first_tile, .ping_pong = true, .across_tiles = true}>(to, p);
  attend_listed_tiles(to, p);
}

void attend_streamed(launcher& to, const problem& p, bool overlap) {
  if (p.width == 128)
    run_across_tiles<block_128>(to, p, overlap);
  else if (is_long_window(p))
    run_across_tiles<block_64>(to, p, overlap);
  else
    run_across_tiles<short_block_64>(to, p, overlap);
}

}  // namespace

void hopper_streamed(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) attend_streamed(to, p, false);
}

void hopper_streamed_overlapped(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) attend_streamed(to, p, true);
}

void hopper_streamed_online(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend))
    run<forward_config{.block = block_128, .softmax = {}, .ping_pong = true, .across_tiles = true}>(to, p);
}

void hopper_streamed_pairs(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) {
    if (p.width == 128)
      run_across_tiles<paired(block_128)>(to, p);
    else if (is_long_window(p))
      run_across_tiles<paired(block_64)>(to, p);
    else
      run_across_tiles<paired(short_block_64)>(to, p);
  }
}

}  // namespace ablate::window_attention
