#pragma once

#include <cstdint>
#include <vector>

#include "harness/inputs/voxels/key.h"

namespace ablate {

/// Orders of rows. All voxels fit a key.

void sort_by_morton_code(std::vector<voxel>&);

/// A seeded permutation, every one equally likely (up to the generator's 64 bits).
void shuffle_rows(std::vector<voxel>&, std::uint64_t seed);

/// Each voxel `multiplicity` times in a row, cut to `rows`.
std::vector<voxel> repeat_rows(const std::vector<voxel>&, std::int64_t multiplicity, std::int64_t rows);

/// Ascending; least significant digit first.
void radix_sort(std::vector<std::uint64_t>&);

}  // namespace ablate
