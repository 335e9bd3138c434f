// What a forward attention kernel by mma.sync is made of, as forward_config.h has it for warpgroups.
#pragma once

#include "kernels/attention_core/forward_config.h"

namespace ablate::attention_core {

/// A thread block of 128 queries.
struct mma_block {
  int width = 64;  ///< elements of a head: 16, 32, 64 or 128
  int keys = 64;   ///< of a tile, a divisor of 128
  int blocks = 2;  ///< resident per multiprocessor

  /// Wider queries leave no registers: their fragments are loaded again for each tile.
  ABLATE_ON_BOTH constexpr bool holds_queries() const { return width <= 64; }
};

struct mma_config {
  mma_block block = {};
  bool partial_windows = false;  ///< some tokens of a window are no keys
  softmax_config softmax = {};
};

}  // namespace ablate::attention_core
