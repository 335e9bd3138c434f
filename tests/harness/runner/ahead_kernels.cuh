#pragma once

#include <cuda_runtime.h>

namespace ablate::test_support {

constexpr unsigned numbers = 100000;

__global__ void copy_numbers(const unsigned* in, unsigned* out);

/// In place; each thread that triples adds 1 to a counter.
__global__ void triple_numbers(unsigned* out, unsigned* tripled);

__global__ void double_numbers(const unsigned* in, unsigned* table);

}  // namespace ablate::test_support
