// hash_atomic with fewer atomics: match finds the lanes of a warp whose points are in one voxel, and one of
// them finds the slot and draws places for all; the lane that draws a voxel's first place draws its number as
// well, one atomic per warp for all of its new voxels. Slot and place are kept per point, so the second
// kernel has neither atomics nor probing. Slots are those of a hash table, or one per cell. Should move:
// returning atomics, from 2 per point to 1 per voxel and warp; launches, from 5 to 3. `pdl`:
// each kernel starts while the one before it still runs, and points are located and merged while the slots
// are still being cleared.
#include "kernels/common/dependent_launch.cuh"
#include "kernels/hard_voxelize/launches.h"
#include "kernels/hard_voxelize/phases.h"
#include "kernels/hard_voxelize/view.cuh"

namespace ablate::hard_voxelize {

template <class Slots>
__global__ __launch_bounds__(block_threads) void draw_places(view v, Slots slots) {
  let_next_kernel_begin();
  const long long i = point_of_thread();
  const int cell = v.in_batch(v.cell_of_point(v.cloud_points(), i));
  const lane_peers peers(cell);
  wait_for_previous_kernel();
  int slot = -1, place = 0;
  if (cell >= 0 && peers.leads()) {
    slot = slots.claim(cell);
    place = atomicAdd(v.memory.count + slot, peers.count());
  }
  const bool is_new = slot >= 0 && place == 0;
  const unsigned news = __ballot_sync(whole_warp, is_new);
  if (is_new) {
    // A block's points belong to one cloud, so the warp has one counter.
    const int first = __ffs(static_cast<int>(news)) - 1, lane = static_cast<int>(threadIdx.x % warp_lanes);
    int number = 0;
    if (lane == first) number = atomicAdd(v.memory.found_voxels + blockIdx.y, __popc(news));
    number = __shfl_sync(news, number, first) + __popc(news & ((1u << lane) - 1));
    v.memory.number[slot] = number;
  }
  slot = __shfl_sync(whole_warp, slot, peers.leader());
  place = __shfl_sync(whole_warp, place, peers.leader()) + static_cast<int>(peers.rank);
  if (i >= v.points_per_cloud) return;
  v.memory.slot_of[v.in_all_points(i)] = slot;
  v.memory.rank_of[v.in_all_points(i)] = place;
}

__global__ __launch_bounds__(block_threads) void store_at_places(view v) {
  // Which waited for the kernel that clears, so all of that is visible as well.
  wait_for_previous_kernel();
  const long long i = point_of_thread();
  if (i >= v.points_per_cloud) return;
  if (i == 0) v.voxels[blockIdx.y] = min(v.memory.found_voxels[blockIdx.y], v.max_voxels);
  const int slot = v.memory.slot_of[v.in_all_points(i)], place = v.memory.rank_of[v.in_all_points(i)];
  if (slot < 0 || place >= v.points_per_voxel) return;
  const int number = v.memory.number[slot];
  if (number >= v.max_voxels) return;
  const long long row = v.row(blockIdx.y, number);
  v.members[row * v.points_per_voxel + place] = static_cast<int>(i);
  if (place != 0) return;
  v.voxel_cell[row] = v.cell_of_point(v.cloud_points(), i);
  v.stored[row] = min(v.memory.count[slot], v.points_per_voxel);
}

void merged_atomic(launcher& to, const problem& p, const switches& s) {
  if (p.all_points() == 0) return store_no_voxels(to, p);
  // All kernels but the first overlap the one before; that clears only what no earlier work reads.
  const geometry points{
      .grid = grid_of(p, block_threads), .block = dim3(block_threads), .overlaps_previous = s.is_on("pdl")};
  with_slots(p, s, [&](auto slots) {
    using slots_type = decltype(slots);
    fill(to, {slots_type::cleared(p),
              {scratch(p).count, slots_type::slots(p), 0},
              {scratch(p).found_voxels, p.batch, 0},
              {p.members, p.all_members(), ~0u}});
    launch(to, draw_places<slots_type>, points, view(p), slots);
  });
  launch(to, store_at_places, points, view(p));
}

}  // namespace ablate::hard_voxelize
