#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/list_transpose/list_transpose.h"

// The launch function of list_transpose, and the forms that it picks among, which layers also call by name:
// each by the file that defines it.

namespace ablate::list_transpose {

// forms.cu
void turn_around(launcher&, const problem&, const switches&);

// count.cu
void count(launcher&, const problem&, const switches&);

// sort_pairs.cu
void sort_pairs(launcher&, const problem&, const switches&);

// sort_words.cu
void sort_words(launcher&, const problem&, const switches&);

}  // namespace ablate::list_transpose
