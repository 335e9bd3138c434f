#pragma once

#include <ablate/common/launch_function.h>

#include <cstdint>

#ifndef ROWS_MINIMUM_COLUMNS
#error "the definitions of the target are missing"
#endif

namespace rows {

/// out[row][column] = exp(in[row][column] - max of the row) / sum over the row of the same
struct problem {
  std::int64_t rows = 0, columns = 0;
  const float* in = nullptr;  ///< [rows, columns]
  float* out = nullptr;       ///< [rows, columns]
};

/// With the switches `online` and `row` (kernels/softmax.cu).
void softmax(ablate::launcher&, const problem&, const ablate::switches&);

/// In double precision; its pointers are the host's.
void softmax_reference(const problem&);

}  // namespace rows
