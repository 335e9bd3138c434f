#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/window_attention/window_attention.h"

// The launch functions of window_attention, by the file that defines them. Those of Hopper's core and of
// mma.sync read the switches and call what launches the kernels (hopper_forward.h, mma_forward.h), as other
// operations do.

namespace ablate::window_attention {

// gather.cu
void hopper_gathered(launcher&, const problem&, const switches&);

// hopper.cu
void hopper(launcher&, const problem&, const switches&);

// hopper_indexed.cu
void hopper_indexed(launcher&, const problem&, const switches&);

// hopper_warp_forward.cu
void hopper_warp(launcher&, const problem&, const switches&);

// mma.cu
void mma(launcher&, const problem&, const switches&);

// published.cu
void mma_published(launcher&, const problem&, const switches&);

// sorted.cu
void hopper_sorted(launcher&, const problem&, const switches&);

// split.cu
void hopper_split_qkv(launcher&, const problem&, const switches&);

}  // namespace ablate::window_attention
