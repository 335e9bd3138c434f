#pragma once

#include "kernels/common/launcher.h"
#include "kernels/window_attention_backward/window_attention_backward.h"

namespace ablate::window_attention_backward {

/// Launch the backward pass in two kernels, of rows that stand in buckets or contiguous; the same bits each
/// time.
void differentiate_in_two_passes_by_mma(launcher&, const problem&);
void differentiate_in_two_passes_on_hopper(launcher&, const problem&);

}  // namespace ablate::window_attention_backward
