#pragma once

#include "kernels/voxel_mean/voxel_mean.h"

namespace ablate::voxel_mean {

/// Slots of a hash table for the points' cells, a power of two: at most half of them are occupied.
std::int64_t table_slots(const problem&);

/// The sums of the occupied cells alone, in the memory of the problem's `table`.
struct sums_table {
  std::int32_t* keys;    ///< [table_slots]: the cell in a slot among the cells of all clouds, or −1
  std::int32_t* counts;  ///< [table_slots]
  float* sums;           ///< [table_slots][features]
  std::size_t bytes;

  explicit sums_table(const problem&);
};

}  // namespace ablate::voxel_mean
