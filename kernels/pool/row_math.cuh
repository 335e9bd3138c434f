#pragma once

#include <cmath>

#include "kernels/pool/bf16_vector.cuh"
#include "kernels/pool/pool.h"

namespace ablate::pool {

/// Of a minimum or maximum, which member each channel came from.
enum class winners { dropped, kept };

/// Some channels of a cluster, reduced in fp32 one member after the other.
template <reduction Op, winners Winners, int Channels>
struct reducer {
  static constexpr bool selects = Op == reduction::minimum || Op == reduction::maximum;
  static constexpr bool keeps_winners = selects && Winners == winners::kept;

  float x[Channels];
  unsigned winner[keeps_winners ? Channels : 1];

  __device__ reducer() {
#pragma unroll
    for (float& value : x)
      value = Op == reduction::minimum ? INFINITY : Op == reduction::maximum ? -INFINITY : 0.0f;
#pragma unroll
    for (unsigned& slot : winner) slot = 0;
  }

  /// The first of equal ones wins.
  __device__ void take(int channel, float value, unsigned slot) {
    if constexpr (!selects) {
      x[channel] += value;
    } else if (Op == reduction::minimum ? value < x[channel] : value > x[channel]) {
      x[channel] = value;
      if constexpr (keeps_winners) winner[channel] = slot;
    }
  }

  /// Of so many members; of none, 0.
  __device__ void end(unsigned count) {
    const float share = count == 0 ? 0.0f : Op == reduction::mean ? 1.0f / static_cast<float>(count) : 1.0f;
#pragma unroll
    for (float& value : x) value = count == 0 ? 0.0f : Op == reduction::mean ? value * share : value;
  }
};

__device__ inline std::uint8_t stored_winner(unsigned slot) {
  return static_cast<std::uint8_t>(min(slot, static_cast<unsigned>(late_winner)));
}

/// Batch norm of one channel as a product and a sum.
struct channel_norm {
  float scale, shift;

  __device__ channel_norm(const float* norm, int channels, int c)
      : scale(norm[2 * channels + c] / sqrtf(norm[channels + c] + norm_epsilon)),
        shift(norm[3 * channels + c] - norm[c] * scale) {}
  __device__ channel_norm() : scale(0), shift(0) {}

  /// After it GELU, by erf.
  __device__ float finished(float x) const {
    const float z = fmaf(x, scale, shift);
    return 0.5f * z * (1.0f + erff(z * 0.70710678118654752f));
  }
};

}  // namespace ablate::pool
