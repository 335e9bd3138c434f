#pragma once

#include "kernels/ceilings/ceilings.h"

namespace ablate::ceilings {

/// sector_of (oracles/ceilings/reference.h) as kernels compute it.
struct scattered_order {
  unsigned mask;  ///< 2^bits − 1
  int shift;      ///< ⌈bits/2⌉

  explicit scattered_order(int bits) : mask((1u << bits) - 1), shift((bits + 1) / 2) {}

  __device__ unsigned at(unsigned access) const {
    unsigned x = access & mask;
    x = (x * first_factor) & mask;
    x ^= x >> shift;
    x = (x * second_factor) & mask;
    x ^= x >> shift;
    return (x * third_factor) & mask;
  }
};

}  // namespace ablate::ceilings
