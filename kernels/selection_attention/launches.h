#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/selection_attention/selection_attention.h"

// The launch function of selection_attention, and the forms that it picks among, which layers also call by
// name: each by the file that defines it.

namespace ablate::selection_attention {

// forms.cu
void attend(launcher&, const problem&, const switches&);

// direct.cu
void direct(launcher&, const problem&, const switches&);

// one_list.cu
void one_list(launcher&, const problem&, const switches&);

// shared.cu
void together(launcher&, const problem&, const switches&);

// staged.cu
void staged(launcher&, const problem&, const switches&);

}  // namespace ablate::selection_attention
