#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/window_attention_backward/window_attention_backward.h"

// The launch functions of window_attention_backward, by the file that defines them. They read the switches
// and call what launches the kernels (cores.h), as other operations do.

namespace ablate::window_attention_backward {

// gather.cu
void hopper_gathered(launcher&, const problem&, const switches&);

// hopper.cu
void hopper(launcher&, const problem&, const switches&);

// mma.cu
void mma(launcher&, const problem&, const switches&);

// sorted.cu
void hopper_sorted(launcher&, const problem&, const switches&);

}  // namespace ablate::window_attention_backward
