#pragma once

#include "kernels/common/fill.h"

namespace ablate {

/// 64 bytes a thread in four rounds of the block, so that the hand-out of blocks does not bound a fill.
constexpr int fill_threads = 256, words_per_vector = 4, vectors_per_thread = 4;
constexpr int words_per_fill_block = fill_threads * words_per_vector * vectors_per_thread;

/// Fills the `block`-th part of a span; past the last part, nothing. A block of `fill_threads` calls this.
__device__ inline void fill_part(const word_span& to, long long block) {
#pragma unroll
  for (int round = 0; round < vectors_per_thread; ++round) {
    const long long first = block * words_per_fill_block +
                            words_per_vector * (round * fill_threads + static_cast<int>(threadIdx.x));
    auto* const words = static_cast<std::uint32_t*>(to.address) + first;
    if (first + words_per_vector <= to.words) {
      *reinterpret_cast<uint4*>(words) = make_uint4(to.value, to.value, to.value, to.value);
    } else {
      for (long long i = 0; first + i < to.words; ++i) words[i] = to.value;
    }
  }
}

}  // namespace ablate
