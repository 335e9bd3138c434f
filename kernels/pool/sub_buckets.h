#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/common/on_both.h"
#include "kernels/common/z_key.h"
#include "kernels/pool/pool.h"
#include "kernels/psh_bucket/random_mix.h"

// What host and kernels compute alike of a block of rows in bucket order: every operation is rounded in the
// same way on both, and none may be fused but those that say so.

namespace ablate::pool {

/// Clusters of so many consecutive rows of an instance: only a block's last may have fewer rows.
ABLATE_ON_BOTH constexpr unsigned clusters_of(unsigned points, int ratio) {
  const auto of = static_cast<unsigned>(ratio);
  return points / block_points * ((block_points + of - 1) / of) + (points % block_points + of - 1) / of;
}

/// A rotation by a random quaternion of four positive parts, as published: of each block another.
struct rotation {
  float row[3][3];

  ABLATE_ON_BOTH rotation(std::uint32_t seed, int instance, int block) {
    using std::fmaf;
    using std::sqrt;
    const std::uint64_t place =
        static_cast<std::uint64_t>(instance) << 32 | static_cast<std::uint32_t>(block);
    std::uint64_t drawn = psh_bucket::mixed(static_cast<std::uint64_t>(seed) ^ psh_bucket::mixed(place));
    float q[4], square = 0;
    for (float& part : q) {
      drawn = psh_bucket::mixed(drawn);
      part = fmaf(static_cast<float>(drawn >> 40), 0.9f * 0x1p-24f, 0.1f);
      square = fmaf(part, part, square);
    }
    const float length = sqrt(square);
    for (float& part : q) part = part / length;
    const float w = q[0], x = q[1], y = q[2], z = q[3];
    row[0][0] = fmaf(-2.0f, fmaf(y, y, z * z), 1.0f);
    row[0][1] = 2.0f * fmaf(x, y, -(z * w));
    row[0][2] = 2.0f * fmaf(x, z, y * w);
    row[1][0] = 2.0f * fmaf(x, y, z * w);
    row[1][1] = fmaf(-2.0f, fmaf(x, x, z * z), 1.0f);
    row[1][2] = 2.0f * fmaf(y, z, -(x * w));
    row[2][0] = 2.0f * fmaf(x, z, -(y * w));
    row[2][1] = 2.0f * fmaf(y, z, x * w);
    row[2][2] = fmaf(-2.0f, fmaf(x, x, y * y), 1.0f);
  }

  ABLATE_ON_BOTH float turned(int axis, const float (&c)[3]) const {
    using std::fmaf;
    return fmaf(row[axis][2], c[2], fmaf(row[axis][1], c[1], row[axis][0] * c[0]));
  }
};

/// Levels of an axis of a block's box.
struct axis_levels {
  float low, scale;

  ABLATE_ON_BOTH axis_levels(float low, float high)
      : low(low),
        scale(high > low ? static_cast<float>(psh_bucket::quantization_levels) / (high - low) : 0.0f) {}

  ABLATE_ON_BOTH unsigned of(float c) const {
    using std::floor;
    const float level = floor((c - low) * scale), last = psh_bucket::quantization_levels - 1;
    return static_cast<unsigned>(level < 0 ? 0 : level > last ? last : level);
  }
};

/// One of cell_count cells of the block's box, along its Morton curve.
ABLATE_ON_BOTH inline unsigned cell_of(unsigned x, unsigned y, unsigned z) {
  return z16_of(x, y, z) >> (16 - cell_bits);
}

}  // namespace ablate::pool
