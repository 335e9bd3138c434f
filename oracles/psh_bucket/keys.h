#pragma once

#include <array>
#include <cstdint>

#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

/// The box of all instances' points, of a problem with host pointers.
struct bounding_box {
  std::array<float, 3> low{}, high{};
};
bounding_box bounding_box_of(const problem&);

/// Voxel of a point, as `quantization` says.
std::array<std::uint16_t, 3> voxel_of(const problem&, const bounding_box&, const std::uint16_t coordinate[3]);

/// The 16-bit key, and the bucket of a key, as `hash` says.
std::uint16_t key_of(hash, const std::array<std::uint16_t, 3>& voxel);
std::uint16_t bucket_of(hash, std::uint16_t key, int buckets);

}  // namespace ablate::psh_bucket
