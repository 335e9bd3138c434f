#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/list_transpose/list_transpose.h"

// The launch functions of list_transpose, by the file that defines them.

namespace ablate::list_transpose {

// count.cu
void count(launcher&, const problem&, const switches&);

// sort_pairs.cu
void sort_pairs(launcher&, const problem&, const switches&);

// sort_words.cu
void sort_words(launcher&, const problem&, const switches&);

}  // namespace ablate::list_transpose
