#pragma once

#include <cstdint>

namespace ablate::serialize {

/// Skilling's transform of a cell (AIP Conf. Proc. 707, 2004), bit by bit; what remains is to interleave the
/// axes and decode the Gray code.
__device__ inline void untangle(unsigned (&axes)[3], int depth) {
  for (int bit = depth - 1; bit > 0; --bit) {
    const unsigned below = (1u << bit) - 1;
#pragma unroll
    for (int a = 0; a < 3; ++a) {
      if (axes[a] >> bit & 1) {
        axes[0] ^= below;
      } else {
        const unsigned differing = (axes[0] ^ axes[a]) & below;
        axes[0] ^= differing;
        axes[a] ^= differing;
      }
    }
  }
}

/// Each bit becomes the parity of itself and all higher bits.
__device__ inline std::uint64_t gray_decoded(std::uint64_t code) {
#pragma unroll
  for (int distance = 1; distance < 64; distance *= 2) code ^= code >> distance;
  return code;
}

}  // namespace ablate::serialize
