#pragma once

#include <cstdint>
#include <vector>

#include "harness/inputs/voxels/key.h"

namespace ablate {

/// Row orders. All voxels must fit a key.

void sort_by_morton_code(std::vector<voxel>&);

/// A seeded permutation, all equally likely (up to the generator's 64 bits).
void shuffle_rows(std::vector<voxel>&, std::uint64_t seed);

/// Each voxel `multiplicity` times in succession, truncated to `rows`.
std::vector<voxel> repeat_rows(const std::vector<voxel>&, std::int64_t multiplicity, std::int64_t rows);

/// Ascending; least significant digit first.
void radix_sort(std::vector<std::uint64_t>&);

}  // namespace ablate
