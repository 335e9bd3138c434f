#pragma once

#include <cstdint>
#include <vector>

#include "harness/inputs/points/box.h"

namespace ablate {

/// Reorderings of a cloud, [points][3]; both only move whole points.

/// Seeded Fisher–Yates shuffle. At most 2^32 - 1 points.
void shuffle_points(std::vector<float>& xyz, std::uint64_t seed);

/// Stable sort by the Morton code of each point's position in the box, 21 bits per axis, x lowest. Points
/// outside are clamped to the nearest face; points with a NaN or infinite coordinate come last. At most 2^32
/// - 1 points.
void sort_points_by_morton_code(std::vector<float>& xyz, const box& domain);

}  // namespace ablate
