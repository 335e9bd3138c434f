#pragma once

#include "kernels/common/launcher.h"
#include "kernels/window_attention/window_attention.h"

namespace ablate::window_attention {

/// Attention where not all tokens of all windows are keys (docs/operations/backbone.md). A problem's tokens
/// may then be whole buckets and not whole windows: the last window is as short as what is left. Rows from
/// `valid` on are padding: their keys have weight 0, as at a score of −∞, except in windows that have no
/// other, which attend to all of theirs. Padding attends as other rows do. One batch, rows in buckets.
///
/// By mma.sync with online softmax, at 16, 32 or 64 elements a head.
void attend_in_partial_windows(launcher&, const problem&, std::int64_t valid);

}  // namespace ablate::window_attention
