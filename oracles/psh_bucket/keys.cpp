#include "oracles/psh_bucket/keys.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/common/half.h"

namespace ablate::psh_bucket {

bounding_box bounding_box_of(const problem& p) {
  bounding_box box;
  if (p.points == 0) return box;
  box.low.fill(std::numeric_limits<float>::infinity());
  box.high.fill(-std::numeric_limits<float>::infinity());
  for (std::int64_t i = 0; i < p.points; ++i)
    for (int axis = 0; axis < 3; ++axis) {
      const float c = float_of_half(p.coordinates[3 * i + axis]);
      box.low[axis] = std::min(box.low[axis], c);
      box.high[axis] = std::max(box.high[axis], c);
    }
  return box;
}

std::array<std::uint16_t, 3> voxel_of(const problem& p, const bounding_box& box,
                                      const std::uint16_t coordinate[3]) {
  std::array<float, 3> extent;
  for (int axis = 0; axis < 3; ++axis) extent[axis] = box.high[axis] - box.low[axis];
  if (p.quantization == quantization::isotropic) extent.fill(*std::max_element(extent.begin(), extent.end()));

  std::array<std::uint16_t, 3> voxel{};
  for (int axis = 0; axis < 3; ++axis) {
    if (extent[axis] == 0) continue;
    const float levels_per_meter = static_cast<float>(quantization_levels) / extent[axis];
    const float level = std::floor((float_of_half(coordinate[axis]) - box.low[axis]) * levels_per_meter);
    voxel[axis] =
        static_cast<std::uint16_t>(std::clamp(level, 0.0f, static_cast<float>(quantization_levels - 1)));
  }
  return voxel;
}

namespace {

/// Bits first_bit … first_bit + 15 of the Morton code, whose bit 3k is bit k of x, 3k + 1 of y, 3k + 2 of z.
std::uint16_t morton_bits(const std::array<std::uint16_t, 3>& voxel, int first_bit) {
  unsigned bits = 0;
  for (int i = 0; i < 16; ++i) {
    const int of_code = first_bit + i;
    const unsigned bit = static_cast<unsigned>(voxel[of_code % 3]) >> (of_code / 3) & 1u;
    bits |= bit << i;
  }
  return static_cast<std::uint16_t>(bits);
}

}  // namespace

std::uint16_t key_of(hash h, const std::array<std::uint16_t, 3>& voxel) {
  switch (h) {
    case hash::z_div:
    case hash::z_mod:
      return morton_bits(voxel, 31);
    case hash::z_top_div:
    case hash::z_top_mod:
      return morton_bits(voxel, 32);
    case hash::xor_div:
    case hash::xor_mod:
      break;
  }
  return voxel[0] ^ voxel[1] ^ voxel[2];
}

std::uint16_t bucket_of(hash h, std::uint16_t key, int buckets) {
  const bool divides = h == hash::z_div || h == hash::xor_div || h == hash::z_top_div;
  const int divisor = (quantization_levels + buckets - 1) / buckets;
  return static_cast<std::uint16_t>(divides ? key / divisor : key % buckets);
}

}  // namespace ablate::psh_bucket
