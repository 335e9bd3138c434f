#pragma once

#include <cuda_runtime.h>

namespace ablate::test_support {

constexpr unsigned squares = 100000;

/// Square i at place i·stride, modulo their number. `computed`, which may be null, counts threads that
/// compute.
__global__ void square_numbers(unsigned* hidden, unsigned stride, unsigned long long* computed);

/// Puts them in order.
__global__ void copy_squares(const unsigned* hidden, unsigned stride, unsigned* out);

}  // namespace ablate::test_support
