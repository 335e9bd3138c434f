// Exact, without sorting. (1) Each voxel's slot (in a hash table of cells, or one per cell) gets the smallest
// index of its points by an atomic minimum; (2) the points with that smallest index are numbered by a prefix
// sum; (3) a voxel's row of K members is kept in ascending order while points arrive in any order: a point
// exchanges itself into a place by atomic minimum and carries the larger of the two on to the next one. Each
// place keeps the smallest of all that pass it, so the row ends as the K smallest, whatever the order of
// arrival.
//
// Most points carry nothing: indices mostly arrive in ascending order, and a point enters past the last
// smaller one, which it finds by bisection (a place's value only falls, so a smaller one seen anywhere stays
// smaller, and so do all before it). The lanes of a warp whose points are in one voxel start at neighboring
// places at once, since the lane before takes the place before. A row's padding, −1, is the greatest unsigned
// number.
//
// Should move: passes over the points, down to 3; returning atomics, about one per point, and more the
// further the execution order departs from the points' order.
#include "kernels/hard_voxelize/launches.h"
#include "kernels/hard_voxelize/phases.h"
#include "kernels/hard_voxelize/view.cuh"

namespace ablate::hard_voxelize {

constexpr unsigned no_point = 0xffffffff;

template <class Slots>
__global__ __launch_bounds__(block_threads) void find_first_points(view v, Slots slots) {
  const long long i = point_of_thread();
  const int cell = v.in_batch(v.cell_of_point(v.cloud_points(), i));
  const lane_peers peers(cell);
  int slot = -1;
  if (cell >= 0 && peers.leads()) {
    slot = slots.claim(cell);
    const auto point = static_cast<unsigned>(v.in_all_points(i));
    // The leader's is the peers' smallest: lanes ascend with the points.
    if (v.memory.first[slot] > point) atomicMin(v.memory.first + slot, point);
  }
  slot = __shfl_sync(whole_warp, slot, peers.leader());
  if (i < v.points_per_cloud) v.memory.slot_of[v.in_all_points(i)] = slot;
}

__global__ __launch_bounds__(block_threads) void mark_first_points_of_slots(view v, long long points) {
  const long long point = point_of_thread();
  if (point >= points) return;
  const int slot = v.memory.slot_of[point];
  v.memory.begins[point] = slot >= 0 && v.memory.first[slot] == static_cast<unsigned>(point) ? 1 : 0;
}

/// Number of places of an ascending row that hold less than `value`; may already be higher.
__device__ inline int places_below(const unsigned* row, int places, unsigned value) {
  int low = 0;
  for (int high = places; low < high;) {
    const int middle = (low + high) / 2;
    if (__ldcg(row + middle) < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

__global__ __launch_bounds__(block_threads) void insert_in_order(view v) {
  const long long i = point_of_thread(), point = v.in_all_points(i);
  if (i == 0) v.voxels[blockIdx.y] = voxels_of(v, blockIdx.y);
  const int slot = i < v.points_per_cloud ? v.memory.slot_of[point] : -1;
  const lane_peers peers(slot);
  long long row = 0;
  int place = v.points_per_voxel;  // no place
  if (slot >= 0 && peers.leads()) {
    const auto first = static_cast<long long>(v.memory.first[slot]);
    const int number = v.memory.number_at[first] - v.memory.number_at[v.in_all_points(0)];
    if (number < v.max_voxels) {
      row = v.row(blockIdx.y, number);
      const auto* members = reinterpret_cast<const unsigned*>(v.members + row * v.points_per_voxel);
      place = places_below(members, v.points_per_voxel, static_cast<unsigned>(i));
      if (first == point) v.voxel_cell[row] = v.cell_of_point(v.cloud_points(), i);
    }
  }
  row = __shfl_sync(whole_warp, row, peers.leader());
  place = __shfl_sync(whole_warp, place, peers.leader()) + static_cast<int>(peers.rank);
  auto* const members = reinterpret_cast<unsigned*>(v.members + row * v.points_per_voxel);
  for (auto carried = static_cast<unsigned>(i); place < v.points_per_voxel; ++place) {
    const unsigned before = atomicMin(members + place, carried);
    if (before == no_point) {
      atomicAdd(v.stored + row, 1);  // the row has grown by one
      break;
    }
    carried = max(before, carried);
  }
}

void ordered_slots(launcher& to, const problem& p, const switches& s) {
  if (p.all_points() == 0) return store_no_voxels(to, p);
  const dim3 grid = grid_of(p, block_threads), block(block_threads);
  with_slots(p, s, [&](auto slots) {
    using slots_type = decltype(slots);
    fill(to, {slots_type::cleared(p),
              {scratch(p).first, slots_type::slots(p), no_point},
              {p.members, p.all_members(), no_point},
              {p.stored, std::int64_t{p.batch} * p.max_voxels, 0}});
    launch(to, find_first_points<slots_type>, grid, block, 0, view(p), slots);
  });
  launch(to, mark_first_points_of_slots, dim3(blocks_for(p.all_points(), block_threads)), block, 0, view(p),
         p.all_points());
  number_voxels(to, p);
  launch(to, insert_in_order, grid, block, 0, view(p));
}

}  // namespace ablate::hard_voxelize
