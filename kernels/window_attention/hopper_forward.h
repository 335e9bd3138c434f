#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/window_attention/window_attention.h"

namespace ablate::window_attention {

/// Launch the forward core on Hopper (hopper_forward.cuh) on rows in buckets or contiguous, for split or
/// packed Q, K and V.

/// Persistent blocks that take query tiles in turn, one per multiprocessor; or one block per query tile.
enum class blocks_of_run { persistent, one_a_tile };

/// How kernels are launched that list query tiles which overflow, and do them again from the list.
struct run_form {
  blocks_of_run blocks = blocks_of_run::persistent;  ///< of the kernel that fills the list
  bool is_list_empty = false;                        ///< somebody has emptied it: all of scratch is 0
  bool overlaps_launches = false;  ///< each kernel but the first begins while the one in front still runs
};

/// How many queries a tile has at head dimension 16.
enum class tile_size {
  whole,    ///< 256
  wave_fit  ///< 192 where these take less time (wave_fit.h)
};

/// The core that a variant's switches state: `softmax`, `groups`, `stages`, `overlap`, `pingpong`,
/// `persistent`, `exp2`, `sums`, and where it has them `rows`, `tiles`, `retry`, `cross_tile_overlap` and
/// `pdl`.
void attend_as_stated(launcher&, const problem&, const switches&);

/// Online softmax.
void attend_online_on_hopper(launcher&, const problem&, blocks_of_run = blocks_of_run::persistent);

/// The same with one or two warpgroups, one stage, or products that are all waited for: the steps towards it,
/// at head dimensions 64 and 128. `groups`, `stages`, `overlap`.
void attend_in_first_steps(launcher&, const problem&, const switches&, blocks_of_run);

/// The same with warpgroups that take turns, at head dimensions 64 and 128.
void attend_online_by_turns(launcher&, const problem&, blocks_of_run);

/// Nothing is subtracted where norms of queries and keys bound the scores; split Q, K and V only.
void attend_bounded_on_hopper(launcher&, const problem&);

/// Whether warpgroups take turns at head dimension 64: three of them, or two in short windows, where three
/// leave much of a third tile empty; at 128 they always do, below 64 never.
enum class pingpong { never, always, by_window };

/// The maximum is fixed after the first 128 keys; query tiles that overflow are listed in scratch and
/// recomputed.
void attend_with_fixed_max_on_hopper(launcher&, const problem&, pingpong = pingpong::by_window,
                                     run_form = {});

/// The same by tiles of 192 queries where these take less time, at head dimension 16.
void attend_with_fixed_max_in_fit_tiles(launcher&, const problem&, run_form);

/// The same without turns, each of `exp2` and `sums` by itself, at head dimensions 16, 32 and 64.
void attend_with_fixed_max_in_steps(launcher&, const problem&, const switches&, run_form);

/// The same in one launch, at head dimensions 16 and 32: blocks do again themselves what overflowed.
void attend_with_inline_retry_on_hopper(launcher&, const problem&, tile_size);

/// The same with exponentials by pairs in 16-bit arithmetic, at head dimensions 16 and 32. `exp2`, `tiles`.
void attend_in_pairs_on_hopper(launcher&, const problem&, const switches&, run_form = {});

/// The same with products that overlap the softmax across query tiles, too, at head dimensions 64 and 128.
void attend_across_tiles_on_hopper(launcher&, const problem&, run_form);

}  // namespace ablate::window_attention
