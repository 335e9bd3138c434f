#pragma once

#include "kernels/common/on_both.h"

namespace ablate::compression_attention {

// The steps of a bitonic sort as pairs of places in a row of 64, or of 32.

constexpr int staged_rows = 16;

/// Sizes of runs behind any place: all pairs are put in one order.
constexpr int all_descending = 1 << 20, all_ascending = -1;

/// The first place of a pair whose places are `far` apart, a power of two; pairs are numbered through the
/// row.
ABLATE_ON_BOTH constexpr int first_of_pair(int pair, int far) {
  return 2 * (pair & ~(far - 1)) + (pair & (far - 1));
}

/// Whether the greater one of a pair goes first where runs of `size` places are put in order, by turns
/// descending and ascending, the first one descending.
ABLATE_ON_BOTH constexpr bool is_descending(int first, int size) {
  return size != all_ascending && (first & size) == 0;
}

}  // namespace ablate::compression_attention
