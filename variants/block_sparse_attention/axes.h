#pragma once

#include "harness/registry/axis.h"

// How many key blocks Block-Sparse attention keeps, whether it is trained or not.

namespace ablate::block_sparse_attention {

inline axis mass_axis() {
  return axis::of_integers("mass", 0, 99, 70,
                           "percent of the softmax's sum among means that the key blocks of a query block "
                           "have at least")
      .silent_at_default();
}
inline axis kept_axis() {
  return axis::of_integers("kept", 0, 100, 50, "percent of all key blocks that a query block keeps at least")
      .silent_at_default();
}

}  // namespace ablate::block_sparse_attention
