#pragma once

#include "kernels/common/switches.h"
#include "kernels/serialize/serialize.h"

namespace ablate::serialize {

/// How a variant sorts: what its sort words consist of, and which of their bits it sorts by. Read from the
/// switches `sort_bits` (64 | used), `sorts` (each curve | together) and `sort_items` (pairs | packed).
///
/// A word is, from the top, the curve (if all are sorted together), the key, and the point's number (if
/// packed into the word instead of moved beside it).
struct sort_plan {
  bool together = false;  ///< one sort of all curves
  bool packs = false;     ///< words alone are sorted
  int index_bits = 0;     ///< of the packed point number
  int first_bit = 0, end_bit = 64;

  /// Packs only if everything fits a 64-bit word; otherwise pairs are sorted.
  sort_plan(const problem&, const switches&);

  /// Whether it sorts words made for the purpose, not the output keys.
  bool makes_words() const { return together || packs; }
};

}  // namespace ablate::serialize
