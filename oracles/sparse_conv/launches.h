#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/sparse_conv/sparse_conv.h"

// The launch functions of the oracle of sparse_conv, by the file that defines them.

namespace ablate::sparse_conv {

// plain.cu
/// How far all results are from plain arithmetic.
void compare_with_plain(launcher&, const problem&, const switches&);

}  // namespace ablate::sparse_conv
