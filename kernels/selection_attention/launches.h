#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/selection_attention/selection_attention.h"

// The launch functions of selection_attention, by the file that defines them.

namespace ablate::selection_attention {

// direct.cu
void direct(launcher&, const problem&, const switches&);

// one_list.cu
void one_list(launcher&, const problem&, const switches&);

// shared.cu
void together(launcher&, const problem&, const switches&);

// staged.cu
void staged(launcher&, const problem&, const switches&);

}  // namespace ablate::selection_attention
