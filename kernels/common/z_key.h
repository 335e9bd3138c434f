#pragma once

#include "kernels/common/on_both.h"

namespace ablate {

/// Six bits abcdef → a00b00c00d00e00f.
ABLATE_ON_BOTH constexpr unsigned spread_six_bits(unsigned bits) {
  bits = (bits | bits << 8) & 0x300f;
  bits = (bits | bits << 4) & 0x30c3;
  return (bits | bits << 2) & 0x9249;
}

/// z16 of Flash3D: bits 31 … 46 of the Morton code of a voxel with 16 bits an axis, x lowest; highest first:
/// y15 x15 z14 … x11 z10 y10. As published, the highest bit of z is lost.
ABLATE_ON_BOTH constexpr unsigned z16_of(unsigned x, unsigned y, unsigned z) {
  return spread_six_bits(y >> 10) | spread_six_bits(z >> 10 & 31) << 1 | spread_six_bits(x >> 11) << 2;
}

}  // namespace ablate
