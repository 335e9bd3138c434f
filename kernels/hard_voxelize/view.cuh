#pragma once

#include "kernels/common/cell_hash.cuh"
#include "kernels/common/fill.h"
#include "kernels/common/lane_peers.cuh"
#include "kernels/common/point_grid.cuh"
#include "kernels/common/switches.h"
#include "kernels/hard_voxelize/scratch.h"

namespace ablate::hard_voxelize {

constexpr int block_threads = 256;

/// The problem as a kernel argument.
struct view : point_grid_view {
  int clouds, points_per_voxel, max_voxels;
  int *voxel_cell, *stored, *members, *voxels;
  scratch memory;

  explicit view(const problem& p)
      : point_grid_view(p),
        clouds(p.batch),
        points_per_voxel(p.points_per_voxel),
        max_voxels(p.max_voxels),
        voxel_cell(p.voxel_cell),
        stored(p.stored),
        members(p.members),
        voxels(p.voxels),
        memory(p) {}

  /// Index of point `i` of this block's cloud among the points of all clouds.
  __device__ long long in_all_points(long long i) const { return blockIdx.y * points_per_cloud + i; }
  /// Output row of a cloud's voxel `number`.
  __device__ long long row(unsigned cloud, int number) const {
    return static_cast<long long>(cloud) * max_voxels + number;
  }
};

/// Number of voxels in a cloud, once they are numbered in the order of their first points.
__device__ inline int voxels_of(const view& v, long long cloud) {
  const long long begin = cloud * v.points_per_cloud, last = begin + v.points_per_cloud - 1;
  const int* const number_at = v.memory.number_at;
  return min(number_at[last] + v.memory.begins[last] - number_at[begin], v.max_voxels);
}

/// This thread's index in its cloud, at one point per thread.
__device__ inline long long point_of_thread() {
  return static_cast<long long>(blockIdx.x) * block_threads + threadIdx.x;
}

/// One slot per cell: nothing to claim, but as much to clear as there are cells.
struct cell_slots {
  explicit cell_slots(const problem&) {}
  static std::int64_t slots(const problem& p) { return p.all_cells(); }
  static word_span cleared(const problem&) { return {}; }
  __device__ int claim(int cell) const { return cell; }
};

/// A slot for each occupied cell, of a hash table.
struct hash_table_slots : cell_hash {
  explicit hash_table_slots(const problem& p) : cell_hash(scratch(p).keys, hash_slots(p)) {}
  static std::int64_t slots(const problem& p) { return hash_slots(p); }
  static word_span cleared(const problem& p) { return {scratch(p).keys, hash_slots(p), empty_key}; }
};

/// Calls `form` with the kind of slots that the switch `slots` names: hash | cells.
template <class Form>
void with_slots(const problem& p, const switches& s, Form form) {
  if (s.word("slots") == "hash")
    form(hash_table_slots(p));
  else
    form(cell_slots(p));
}

}  // namespace ablate::hard_voxelize
