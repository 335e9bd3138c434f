#pragma once

#include "kernels/common/switches.h"
#include "kernels/serialize/serialize.h"

namespace ablate::serialize {

/// How a variant sorts: what the words of its sort are made of, and which of their bits it looks at. Read
/// from the switches `sort_bits` (64 | used), `sorts` (each curve | together) and `sort_items` (pairs |
/// packed).
///
/// A word is, from above, the curve (where all are sorted together), the key, and the point's number (where
/// that is packed into the word instead of moved beside it).
struct sort_plan {
  bool together = false;  ///< one sort of all curves
  bool packs = false;     ///< words alone are sorted
  int index_bits = 0;     ///< of a packed point's number
  int first_bit = 0, end_bit = 64;

  /// Packing needs a word of 64 bits that holds all; where it does not, pairs are sorted.
  sort_plan(const problem&, const switches&);

  /// Sorted are words that are made for it, not the keys that come out.
  bool makes_words() const { return together || packs; }
};

}  // namespace ablate::serialize
