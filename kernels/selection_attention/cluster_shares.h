#pragma once

#include "kernels/common/on_both.h"

namespace ablate::selection_attention {

/// How the blocks of a cluster divide what they bring: lists are numbered through the cluster,
/// `lists_of_block` for each of its thread blocks, and whose a key block is has a bit for each list.
struct cluster_shares {
  int blocks, lists_of_block;

  /// A bit for each thread block with a list that names the key block.
  ABLATE_ON_BOTH unsigned takers(unsigned lists) const {
    unsigned takers = 0;
    const unsigned of_block = lists_of_block == 32 ? ~0u : (1u << lists_of_block) - 1;
    for (int block = 0; block < blocks; ++block)
      if ((lists >> block * lists_of_block & of_block) != 0) takers |= 1u << block;
    return takers;
  }
  /// Which of the takers brings tile `number` of the union for all of them: by turns.
  ABLATE_ON_BOTH int bringer(unsigned takers, int number) const {
    int count = 0;
    for (int block = 0; block < blocks; ++block) count += static_cast<int>(takers >> block & 1);
    int left = number % count;
    for (int block = 0;; ++block)
      if ((takers >> block & 1) != 0 && left-- == 0) return block;
  }
};

}  // namespace ablate::selection_attention
