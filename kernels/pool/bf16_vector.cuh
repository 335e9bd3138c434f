#pragma once

#include <cuda_bf16.h>

#include <cstdint>

namespace ablate::pool {

constexpr int vector_channels = 8;  ///< bf16 of one 16-byte access

/// Channel i of eight.
__device__ inline float channel_of(const uint4& stored, int i) {
  const unsigned words[4] = {stored.x, stored.y, stored.z, stored.w};
  return __uint_as_float(i % 2 == 0 ? words[i / 2] << 16 : words[i / 2] & 0xffff0000u);
}

/// Eight numbers, rounded to nearest.
__device__ inline uint4 rounded(const float (&x)[vector_channels]) {
  unsigned words[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(x[2 * i], x[2 * i + 1]);
    words[i] = static_cast<unsigned>(__bfloat16_as_ushort(pair.x)) |
               static_cast<unsigned>(__bfloat16_as_ushort(pair.y)) << 16;
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

}  // namespace ablate::pool
