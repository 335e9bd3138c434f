#pragma once

#include <cstdint>

namespace ablate::serialize {

/// Moves bit k of a 16-bit number to bit 3k, halving the shift distance each step.
__device__ inline std::uint64_t spread_bits(std::uint64_t bits) {
  bits = (bits | bits << 16) & 0x0000ff0000ff;
  bits = (bits | bits << 8) & 0x00f00f00f00f;
  bits = (bits | bits << 4) & 0x0c30c30c30c3;
  return (bits | bits << 2) & 0x249249249249;
}

/// The inverse: moves bit 3k of a code to bit k and drops the other bits.
__device__ inline unsigned gather_bits(std::uint64_t code) {
  code &= 0x249249249249;
  code = (code | code >> 2) & 0x0c30c30c30c3;
  code = (code | code >> 4) & 0x00f00f00f00f;
  code = (code | code >> 8) & 0x0000ff0000ff;
  return static_cast<unsigned>((code | code >> 16) & 0xffff);
}

/// The z-order code: bit k of x at 3k + 2, of y at 3k + 1, of z at 3k.
__device__ inline std::uint64_t interleave(unsigned x, unsigned y, unsigned z) {
  return spread_bits(x) << 2 | spread_bits(y) << 1 | spread_bits(z);
}

}  // namespace ablate::serialize
