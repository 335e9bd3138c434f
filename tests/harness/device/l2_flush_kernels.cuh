#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace ablate::l2_flush_test {

/// A line of L2, with the number of the line that follows in a chain through all of a buffer.
struct line {
  unsigned next;
  unsigned unused[31];
};
static_assert(sizeof(line) == 128);

/// Reads all lines; `keeps`: by loads that ask L2 to evict them last.
__global__ void read_lines(const line* lines, unsigned count, bool keeps, unsigned* sum);

/// Reads so many words, as a flush does.
__global__ void read_words(const uint4* words, std::size_t count, unsigned* sum);

/// One thread follows the chain: clock cycles a step, L1 left out.
__global__ void follow_chain(const line* lines, unsigned steps, float* cycles, unsigned* end);

}  // namespace ablate::l2_flush_test
