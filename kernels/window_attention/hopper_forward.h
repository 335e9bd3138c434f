#pragma once

#include "kernels/common/launcher.h"
#include "kernels/window_attention/window_attention.h"

namespace ablate::window_attention {

/// Persistent blocks that take query tiles in turn, one per multiprocessor; or one block per query tile.
enum class blocks_of_run { persistent, one_a_tile };

/// Launches the forward core with online softmax (hopper_forward.cuh) on rows in buckets or contiguous, for
/// split or packed Q, K and V.
void attend_online_on_hopper(launcher&, const problem&, blocks_of_run = blocks_of_run::persistent);

/// Whether warpgroups take turns at head dimension 64: three of them, or two in short windows, where three
/// leave much of a third tile empty; at 128 they always do, below 64 never.
enum class pingpong { never, always, by_window };

/// The same with the maximum fixed after the first 128 keys; query tiles that overflow are listed in scratch
/// and recomputed.
void attend_with_fixed_max_on_hopper(launcher&, const problem&, pingpong = pingpong::by_window);

/// The same in one launch, at head dimensions 16 and 32: blocks do again themselves what overflowed.
enum class tile_size {
  whole,    ///< 256 queries
  wave_fit  ///< at head dimension 16, 192 where these take less time (wave_fit.h)
};
void attend_with_inline_retry_on_hopper(launcher&, const problem&, tile_size);

/// The same with warp-level MMAs (hopper_warp_forward.cuh), at head dimensions 16 and 32: the maximum is over
/// the first 32 or 16 keys.
void attend_with_fixed_max_by_warps(launcher&, const problem&);

}  // namespace ablate::window_attention
