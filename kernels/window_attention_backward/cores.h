#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/text_view.h"
#include "kernels/window_attention_backward/window_attention_backward.h"

namespace ablate::window_attention_backward {

/// Launch the backward pass, of rows that are in buckets or contiguous.

/// In two kernels, the same bits each time.
void differentiate_in_two_passes_by_mma(launcher&, const problem&);
void differentiate_in_two_passes_on_hopper(launcher&, const problem&);
/// In one kernel, the dQ of each 128 keys in a buffer of its own, added in order: the same bits each time. In
/// windows of up to longest_window_in_parts.
void differentiate_in_parts_by_mma(launcher&, const problem&);
void differentiate_in_parts_on_hopper(launcher&, const problem&);
/// In one kernel, dQ by additions to sums in an order that differs from run to run.
void differentiate_by_atomics_by_mma(launcher&, const problem&);
void differentiate_by_bulk_copies_on_hopper(launcher&, const problem&);
void differentiate_by_reductions_on_hopper(launcher&, const problem&);
/// By reductions, too, in blocks that persist; up to 64 elements a head.
void differentiate_by_persistent_blocks(launcher&, const problem&);
/// The same with four warpgroups a block, in pairs or each alone; of 16 elements a head.
void differentiate_by_four_groups(launcher&, const problem&);
void differentiate_with_private_dq(launcher&, const problem&);
/// With dQ rounded by the block that adds last to a tile of queries; problem::kept_sums.
void differentiate_by_atomics_then_round_by_mma(launcher&, const problem&);
void differentiate_by_bulk_copies_then_round(launcher&, const problem&);
/// Up to 64 elements a head.
void differentiate_by_reductions_then_round(launcher&, const problem&);
void differentiate_by_persistent_blocks_then_round(launcher&, const problem&);
/// In one kernel whose blocks have all keys of a window, the same bits each time; on Hopper up to 64 elements
/// a head.
void differentiate_by_windows_by_mma(launcher&, const problem&);
void differentiate_by_windows(launcher&, const problem&);
/// With row statistics by the same kernel.
void differentiate_by_windows_in_one_launch(launcher&, const problem&);
/// By the fastest of these on Hopper for the head's width and the window (per_shape_best.h).
void differentiate_by_shape_on_hopper(launcher&, const problem&);

/// `dq`: "two_pass", "bulk", "reductions", "persistent", "window_per_cta", "four_groups" or "private", which
/// of heads of more than 16 elements are "reductions".
void differentiate_on_hopper(launcher&, const problem&, text_view dq);

}  // namespace ablate::window_attention_backward
