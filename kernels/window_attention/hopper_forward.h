#pragma once

#include "kernels/common/launcher.h"
#include "kernels/window_attention/window_attention.h"

namespace ablate::window_attention {

/// Blocks that take query tiles in turn, one a multiprocessor; or a block a query tile.
enum class blocks_of_run { persistent, one_a_tile };

/// Launches the forward core with online softmax (hopper_forward.cuh) on rows that stand in buckets or
/// contiguous, of split or packed Q, K and V.
void attend_online_on_hopper(launcher&, const problem&, blocks_of_run = blocks_of_run::persistent);

/// Whether warpgroups take turns at 64 elements a head, three of them, or two in short windows, where three
/// leave much of a third tile empty; at 128 they always do, at fewer never.
enum class turns { never, always, by_window };

/// The same with the maximum fixed after the first 128 keys; query tiles that overflow are done again. What
/// is on the list of those stands in scratch.
void attend_from_first_tile_on_hopper(launcher&, const problem&, turns = turns::by_window);

/// The same with warp-wide products (hopper_warp_forward.cuh), at 16 and 32 elements a head: the maximum over
/// the first 32 or 16 keys.
void attend_from_first_tile_by_warps(launcher&, const problem&);

}  // namespace ablate::window_attention
