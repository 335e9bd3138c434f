#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/sparse_conv/checked_problem.h"

// The launch functions of the oracle of sparse_conv, by the file that defines them.

namespace ablate::sparse_conv {

// plain.cu
/// How far all results are from plain arithmetic.
void compare_with_plain(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::sparse_conv
