// Eight channels of a bf16 row, as a lane holds them: 16 bytes of memory, eight numbers in registers.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "kernels/common/softmax_math.cuh"

namespace ablate {

constexpr int chunk = 8;

__device__ inline void unpack(float (&x)[chunk], const uint4& raw) {
  const unsigned words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    x[2 * i] = __uint_as_float(words[i] << 16);
    x[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
  }
}

/// Rounded to nearest.
__device__ inline uint4 pack(const float (&x)[chunk]) {
  return {packed(x[0], x[1]), packed(x[2], x[3]), packed(x[4], x[5]), packed(x[6], x[7])};
}

/// Chunk `index` of a tensor of chunks.
__device__ inline uint4 load_chunk(const std::uint16_t* from, long long index) {
  return reinterpret_cast<const uint4*>(from)[index];
}
__device__ inline void store_chunk(std::uint16_t* to, long long index, const uint4& raw) {
  reinterpret_cast<uint4*>(to)[index] = raw;
}

/// The fp32 parameters of eight channels.
__device__ inline void load_parameters(float (&x)[chunk], const float* from) {
  const float4 low = reinterpret_cast<const float4*>(from)[0],
               high = reinterpret_cast<const float4*>(from)[1];
  x[0] = low.x, x[1] = low.y, x[2] = low.z, x[3] = low.w;
  x[4] = high.x, x[5] = high.y, x[6] = high.z, x[7] = high.w;
}

}  // namespace ablate
