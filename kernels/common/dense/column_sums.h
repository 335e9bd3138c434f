#pragma once

#include <cstdint>

#include "kernels/common/launcher.h"

namespace ablate::dense_layers {

/// out[c] = Σ over parts of partial[part][c], fp32, in the order of the parts.
void sum_partials(launcher&, const float* partial, int parts, int columns, float* out);

/// out[c] = Σ over rows of x[row][c], of bf16: two launches, the same bits every run. Columns are multiples
/// of 32; `partial` has room for 32 of them each.
void column_sums(launcher&, const std::uint16_t* x, std::int64_t rows, int columns, float* partial,
                 float* out);

}  // namespace ablate::dense_layers
