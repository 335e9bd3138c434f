#pragma once

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

/// In double precision; its pointers are the host's.
void softmax_reference(const problem&);

}  // namespace rows
