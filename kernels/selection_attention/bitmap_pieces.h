#pragma once

#if !defined(__CUDA_ARCH__)
#include <bit>
#endif

#include "kernels/common/on_both.h"

namespace ablate::selection_attention {

/// Where the blocks of a bitmap are among its bits: of threads that each count a piece of it.
struct bitmap_pieces {
  int words;    ///< of the bitmap, 32 blocks each
  int threads;  ///< each has the same number of words, the last ones fewer or none

  ABLATE_ON_BOTH int words_of_piece() const { return (words + threads - 1) / threads; }
  ABLATE_ON_BOTH int first_word(int thread) const {
    const int first = thread * words_of_piece();
    return first < words ? first : words;
  }
  /// How many bits are before that of `block`, given those before each piece.
  ABLATE_ON_BOTH int rank(const unsigned* bitmap, const int* bits_before_piece, int block) const {
    const int word = block / 32, thread = word / words_of_piece();
    int rank = bits_before_piece[thread];
    for (int i = first_word(thread); i < word; ++i) rank += bits_of(bitmap[i]);
    return rank + bits_of(bitmap[word] & ((1u << block % 32) - 1));
  }

  ABLATE_ON_BOTH static int bits_of(unsigned word) {
#if defined(__CUDA_ARCH__)
    return __popc(word);
#else
    return std::popcount(word);
#endif
  }
};

}  // namespace ablate::selection_attention
