#pragma once

#include <cuda_runtime.h>

namespace ablate::range_profiler_test {

/// A thread a vector, on the default stream, as all of these. `vectors` is a multiple of 256.
void copy_vectors(const uint4* in, uint4* out, long long vectors);

/// Reads zeros, and would write `out` where one is not.
void read_vectors(const uint4* in, long long vectors, unsigned* out);

constexpr int multiply_add_threads = 256;

/// Each thread of so many blocks does `steps` multiply-adds, 64 or 448, that depend on one another, straight
/// on, and a constant rest. Another number of steps throws std::invalid_argument.
void multiply_add(int steps, unsigned blocks, float* out);

}  // namespace ablate::range_profiler_test
