#pragma once

#include <cstdint>

#include "kernels/common/launcher.h"
#include "oracles/window_attention_backward/checked_problem.h"

namespace ablate::window_attention_backward {

/// Makes inputs and the forward pass's results where only the first `rows` rows of a window are there: after
/// them are zeros, in all four tensors, which no query attends to.
void make_inputs_of_rows(launcher&, const checked_problem&, std::int64_t rows);

}  // namespace ablate::window_attention_backward
