#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/sparse_conv/sparse_conv.h"

// What makes the inputs of sparse_conv and compares its outputs, by the file that defines it.

namespace ablate::sparse_conv {

// plain.cu
/// How far all results are from plain arithmetic.
void compare_with_plain(launcher&, const problem&, const switches&);

}  // namespace ablate::sparse_conv
