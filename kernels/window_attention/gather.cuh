#pragma once

#include "kernels/window_attention/moved_rows.h"
#include "kernels/window_attention/view.cuh"

namespace ablate::window_attention {

/// Q, K and V of the problem to moved rows, in one launch: row i from row `row_of_token[i]`, in 16-byte
/// vectors.
void gather_qkv(launcher&, const problem&, const moved_rows&, const std::int32_t* row_of_token);

/// Outputs and log-sum-exp from moved rows to those of the problem, in one launch: row i from row
/// `token_of_row[i]`, outputs in 16-byte vectors.
void gather_outputs(launcher&, const problem&, const moved_rows&, const std::int32_t* token_of_row);

}  // namespace ablate::window_attention
