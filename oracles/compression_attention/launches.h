#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/compression_attention/checked_problem.h"
#include "oracles/compression_attention/int8_findings.h"

// The launch functions of the oracle of compression_attention, by the file that defines them.

namespace ablate::compression_attention {

// plain.cu
void make_inputs(launcher&, const checked_problem&, const switches&);
/// Outputs and lists against plain fp32 attention, which the first call computes.
void compare_with_plain(launcher&, const checked_problem&, const switches&);

// int8_judge.cu
void judge_int8_rows(launcher&, const quantization&, int8_findings* found);

}  // namespace ablate::compression_attention
