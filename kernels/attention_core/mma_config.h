// What a forward attention kernel by mma.sync is made of, as forward_config.h has it for warpgroups.
#pragma once

#include "kernels/attention_core/forward_config.h"

namespace ablate::attention_core {

/// When tiles of keys and values are copied.
enum class copies_form {
  awaited,  ///< a tile's keys and values behind the tile before; all wait for them
  ahead     ///< the next tile's keys and values during the whole of this one, into a second buffer
};

/// A thread block of 128 queries.
struct mma_block {
  int width = 64;  ///< elements of a head: 16, 32, 64 or 128
  int keys = 64;   ///< of a tile, a divisor of 128
  copies_form copies = copies_form::ahead;
  int blocks = 2;  ///< resident per multiprocessor

  ABLATE_ON_BOTH constexpr int buffers() const { return copies == copies_form::ahead ? 2 : 1; }
  /// Wider queries leave no registers: their fragments are loaded again for each tile.
  ABLATE_ON_BOTH constexpr bool holds_queries() const { return width <= 64; }
};

struct mma_config {
  mma_block block = {};
  bool partial_windows = false;  ///< some tokens of a window are no keys
  softmax_config softmax = {};
};

}  // namespace ablate::attention_core
