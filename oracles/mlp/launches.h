#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/mlp/checked_problem.h"

// The launch functions of the oracle of mlp, by the file that defines them.

namespace ablate::mlp {

// plain.cu
void make_inputs(launcher&, const checked_problem&, const switches&);
/// How far the outputs are from plain fp64 arithmetic.
void compare_with_plain(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::mlp
