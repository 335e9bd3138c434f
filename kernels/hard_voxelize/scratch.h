#pragma once

#include <bit>

#include "kernels/common/min_max.h"
#include "kernels/common/voxel_order.h"
#include "kernels/hard_voxelize/hard_voxelize.h"

namespace ablate::hard_voxelize {

/// Slots of a hash table for the points' cells, a power of two: at most half of them are occupied.
inline std::int64_t hash_slots(const problem& p) {
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(32, 2 * p.all_points()))));
}

/// Scratch memory of the variants, in one buffer. Slots are those of a hash table or the cells of all grids.
struct scratch {
  std::int32_t* slot_of;    ///< [points]: slot of a point's voxel, or −1; without slots, the point's cell
  std::int32_t* rank_of;    ///< [points]: rank of a point in its voxel
  std::int32_t* first_of;   ///< [points]: first point of a point's voxel
  std::int32_t* number_at;  ///< [points]: voxels that begin before a point, in any cloud
  std::uint8_t* begins;     ///< [points]: 1 = the point is the first of its voxel
  std::int32_t* keys;       ///< [hash_slots]: the cell in a slot, or −1
  std::uint32_t* first;     ///< [slots]: first point of a voxel
  std::int32_t* count;      ///< [slots]: points of a voxel
  std::int32_t* number;     ///< [slots]: a voxel's number in its cloud
  std::int32_t* found_voxels;  ///< [batch]: voxels before the limit V
  voxel_order_memory order;    ///< its temporary memory is also used by scans
  std::size_t bytes;

  explicit scratch(const problem&);
};

}  // namespace ablate::hard_voxelize
