#include <algorithm>
#include <cmath>

#include "harness/softmax.h"

#ifndef ROWS_OF_THE_USER
#error "the project's own flags are missing"
#endif

void rows::softmax_reference(const problem& p) {
  for (std::int64_t row = 0; row < p.rows; ++row) {
    const float* const in = p.in + row * p.columns;
    const double greatest = *std::max_element(in, in + p.columns);
    double sum = 0;
    for (std::int64_t i = 0; i < p.columns; ++i) sum += std::exp(in[i] - greatest);
    for (std::int64_t i = 0; i < p.columns; ++i)
      p.out[row * p.columns + i] = static_cast<float>(std::exp(in[i] - greatest) / sum);
  }
}
