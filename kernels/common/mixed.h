#pragma once

#include <cstdint>

#include "kernels/common/on_both.h"

namespace ablate {

/// 64 bits without a pattern (SplitMix64's finalizer): a bijection that maps 0 to itself.
ABLATE_ON_BOTH constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

}  // namespace ablate
