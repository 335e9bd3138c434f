#pragma once

#include "kernels/common/launcher.h"
#include "kernels/window_attention/window_attention.h"

namespace ablate::window_attention {

/// Launches the forward core with online softmax (hopper_forward.cuh) on rows that stand in buckets or
/// contiguous, of split or packed Q, K and V.
void attend_online_on_hopper(launcher&, const problem&);

/// The same with the maximum fixed after the first 128 keys; query tiles that overflow are done again. What
/// is on the list of those stands in scratch.
void attend_from_first_tile_on_hopper(launcher&, const problem&);

}  // namespace ablate::window_attention
