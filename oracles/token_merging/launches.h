#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/token_merging/checked_problem.h"

// The launch functions of the oracle of token_merging, by the file that defines them.

namespace ablate::token_merging {

// plain.cu
void make_inputs(launcher&, const checked_problem&, const switches&);
/// Whether the outputs of a step are right.
void judge_with_fp64(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::token_merging
