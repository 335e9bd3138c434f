#pragma once

#include <cuda_runtime.h>

namespace ablate::same_bits_test {

constexpr unsigned roots = 10000;

/// Square roots; with `flips`, every other launch changes the last bit of the one at `flipped`.
__global__ void take_roots(float* out, bool flips);
constexpr unsigned flipped = 4321;
/// By one thread, after each of those.
__global__ void count_launch();

/// What no kernel may do to an input.
__global__ void write_word(unsigned* input);

/// As a check on the device does: whether all roots are right, and a count that is never the same twice.
struct findings {
  unsigned wrong, calls;
};
__global__ void clear_findings(findings*);
__global__ void judge_roots(const float* out, findings*);

}  // namespace ablate::same_bits_test
