#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/row_norm/checked_problem.h"

// The launch functions of the oracle of row_norm, by the file that defines them.

namespace ablate::row_norm {

// plain.cu
void make_inputs(launcher&, const checked_problem&, const switches&);
/// How far all outputs are from plain arithmetic.
void compare_with_plain(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::row_norm
