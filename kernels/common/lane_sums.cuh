#pragma once

namespace ablate {

/// A sum over `Lanes` neighboring lanes, a power of two, in each of them; all lanes of the warp take part.
template <int Lanes, class T>
__device__ inline T sum_of_lanes(T x) {
#pragma unroll
  for (int far = Lanes / 2; far > 0; far /= 2) x += __shfl_xor_sync(~0u, x, far);
  return x;
}

}  // namespace ablate
