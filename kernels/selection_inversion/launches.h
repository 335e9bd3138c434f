#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/selection_inversion/selection_inversion.h"

// The launch functions of selection_inversion, by the file that defines them.

namespace ablate::selection_inversion {

// count.cu
void count(launcher&, const problem&, const switches&);

// sort_pairs.cu
void sort_pairs(launcher&, const problem&, const switches&);

// sort_words.cu
void sort_words(launcher&, const problem&, const switches&);

}  // namespace ablate::selection_inversion
