#pragma once

#include "kernels/common/min_max.h"
#include "kernels/psh_bucket/box.cuh"

namespace ablate::psh_bucket {

/// What one block of a kernel that stays on the chip works on: parts of instances, in turn.
struct instance_part {
  int instance;
  unsigned number, parts;   ///< which of how many parts of its instance
  unsigned instance_begin;  ///< first point of the instance
  unsigned begin, end;      ///< points of the part
};

/// Calls `work(part)` for each part of this block. Every instance is cut into the same number of parts, so
/// that the grid's blocks are shared out evenly; all threads of a block see the same parts.
template <class Work>
__device__ void for_each_part(const view& v, Work work) {
  const unsigned parts = max(1u, gridDim.x / v.instances);
  const unsigned all = parts * v.instances;
  for (unsigned item = blockIdx.x; item < all; item += gridDim.x) {
    const int instance = static_cast<int>(item / parts);
    const unsigned number = item % parts, begin = v.begin_of(instance), points = v.end_of(instance) - begin;
    const unsigned per_part = (points + parts - 1) / parts;
    const unsigned from = min(points, number * per_part), to = min(points, from + per_part);
    work(instance_part{instance, number, parts, begin, begin + from, begin + to});
  }
}

/// The extremes of this block's parts.
__device__ inline extremes extremes_of_parts(const view& v) {
  extremes mine = no_extremes();
  for_each_part(v, [&](const instance_part& part) {
    for (unsigned point = part.begin + threadIdx.x; point < part.end; point += block_points)
      include(mine, v.coordinates + 3ull * point);
  });
  return mine;
}

/// Upper bound of such kernels' shared memory beside what they request.
constexpr std::size_t max_static_shared = 4096;

/// Blocks of a kernel that stays on the chip: one a multiprocessor, fewer where there are not the points.
inline unsigned resident_blocks(const launcher& to, const problem& p) {
  const unsigned wanted = std::max(1u, blocks_for(p.points, block_points));
  const auto room =
      static_cast<unsigned>(std::min<std::int64_t>(to.device().multiprocessors, max_prepare_blocks));
  return std::min(wanted, room);
}

/// The most points of a part, where each block has at most one; 0 where some have several.
inline std::int64_t points_of_largest_part(const problem& p, unsigned blocks) {
  const std::int64_t parts = blocks / static_cast<unsigned>(p.instances);
  return parts == 0 ? 0 : (p.largest_instance + parts - 1) / parts;
}

}  // namespace ablate::psh_bucket
