// hopper_fixed_max at 16 and 32 elements a head in one launch, for problems of few query tiles, such as a
// layer of one scan: there the launches that empty and process the list of overflowing tiles matter. Here a
// block marks its overflowing tiles in a word of shared memory and recomputes them online after its last one
// (hopper_core/again.cuh). wave_fit: if the last wave of 256-query tiles would leave most multiprocessors
// idle (192 tiles on 132), tiles of 192 queries by three warpgroups: more waves of less work; with `tiles`
// alone through the list, as without. Should move: launches, by two; SM active.
#include "kernels/window_attention/hopper_run.cuh"
#include "kernels/window_attention/wave_fit.h"

namespace ablate::window_attention {

constexpr block_shape small_block_16 = {
    .width = 16, .groups = 3, .stages = 4, .producer_registers = 32, .consumer_registers = 160};

static_assert(block_16.query_rows() == whole_tile_rows && small_block_16.query_rows() == small_tile_rows);

namespace {

template <block_shape Block>
void run_at_once(launcher& to, const problem& p) {
  run<forward_config{.block = Block, .softmax = narrow_fixed_max, .inline_retry = true}>(to, p);
}

}  // namespace

void attend_with_inline_retry_on_hopper(launcher& to, const problem& p, tile_size size) {
  if (p.width == 32)
    run_at_once<block_32>(to, p);
  else if (size == tile_size::wave_fit && small_tiles_take_less(p, to.device().multiprocessors))
    run_at_once<small_block_16>(to, p);
  else
    run_at_once<block_16>(to, p);
}

void attend_with_fixed_max_in_fit_tiles(launcher& to, const problem& p, run_form form) {
  if (small_tiles_take_less(p, to.device().multiprocessors))
    run_and_redo<forward_config{.block = small_listed_block_16, .softmax = narrow_fixed_max}>(to, p, form);
  else
    attend_with_fixed_max_on_hopper(to, p, pingpong::by_window, form);
}

}  // namespace ablate::window_attention
