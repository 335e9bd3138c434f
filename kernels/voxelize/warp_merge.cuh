#pragma once

#include "kernels/common/dependent_launch.cuh"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

constexpr unsigned whole_warp = 0xffffffffu;

/// A lane's result of merging in a warp: whether it sends for the points merged with it, and how many they
/// are.
struct merged_points {
  bool leads;
  int points;
};

// Ways to merge equal values in a warp. All lanes participate; a value identifies a cell.

/// Each lane sends for itself.
struct no_merge {
  __device__ merged_points operator()(int) const { return {true, 1}; }
};

/// Lanes with the same value anywhere in the warp, found with one match instruction.
struct merge_by_match {
  __device__ merged_points operator()(int value) const {
    const unsigned peers = __match_any_sync(whole_warp, value);
    return {threadIdx.x % warpSize == __ffs(peers) - 1u, __popc(peers)};
  }
};

/// Lanes with the same value anywhere in the warp, found without a match instruction: while lanes are left,
/// the first broadcasts its value (shuffle), and those with the same value are done (ballot). One round per
/// distinct value, up to 32.
struct merge_by_shuffles {
  __device__ merged_points operator()(int value) const {
    const unsigned lane = threadIdx.x % warpSize;
    merged_points mine{false, 0};
    for (unsigned left = whole_warp; left != 0;) {
      const unsigned leader = __ffs(left) - 1u;
      const unsigned peers = __ballot_sync(whole_warp, value == __shfl_sync(whole_warp, value, leader));
      if (lane == leader) mine = {true, __popc(peers)};
      left &= ~peers;
    }
    return mine;
  }
};

/// Neighboring lanes with the same value: a lane leads if the one to its left has another value (shuffle),
/// and its run ends before the next leader (ballot).
struct merge_neighbors {
  template <class Value>
  __device__ merged_points operator()(Value value) const {
    const unsigned lane = threadIdx.x % warpSize;
    const Value left = __shfl_up_sync(whole_warp, value, 1);
    const bool leads = lane == 0 || left != value;
    const unsigned leaders_behind = __ballot_sync(whole_warp, leads) & ~(whole_warp >> (31 - lane));
    const unsigned end = leaders_behind == 0 ? warpSize : __ffs(leaders_behind) - 1u;
    return {leads, static_cast<int>(end - lane)};
  }
};

/// What a lane sends for its point `i`, of cell `cell` or −1.
template <class Count, bool Instrumented>
__device__ void send_merged(const view<Count>& v, long long i, int cell, const merged_points& merged,
                            tally<Instrumented>& events) {
  if (i < v.points_per_cloud) {
    events.add(points);
    if (threadIdx.x % warpSize == 0) events.add(groups);
  }
  if (cell < 0) return;
  events.add(valid);
  if (merged.leads) {
    events.add(group_voxels);
    add_to_cell(v.cloud_grid(), cell, static_cast<Count>(merged.points), events);
  } else {
    events.add(hits);
  }
}

/// One reduction for the points that `Merge` combines. After the kernel that clears, it merges while that
/// still runs, and waits for it before it sends. `cell`: of the thread's point `i`; merging needs every lane
/// of the warp, so lanes past the end take part with −1.
template <class Merge, class Count, bool Instrumented>
__device__ void merge_then_send(const view<Count>& v, long long i, int cell, tally<Instrumented>& events) {
  const merged_points merged = Merge()(cell);
  wait_for_previous_kernel();
  send_merged(v, i, cell, merged, events);
}

/// One point per thread.
template <class Merge, class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void merge_in_warp(view<Count> v) {
  tally<Instrumented> events;
  const long long i = point_of_thread();
  merge_then_send<Merge>(v, i, v.cell_of_point(v.cloud_points(), i), events);
  events.write(v.events);
}

/// The same with points from another source.
template <class Merge, class Source, class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void merge_from_source(view<Count> v, Source source) {
  tally<Instrumented> events;
  const long long i = point_of_thread();
  merge_then_send<Merge>(v, i, source.cell_of_point(v, i), events);
  events.write(v.events);
}

/// Four points per thread, a block's width apart, all found and merged, each with those beside it, before the
/// first is sent.
template <class Merge, class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void merge_four_in_warp(view<Count> v) {
  constexpr int points_of_block = points_at_once * block_threads;
  tally<Instrumented> events;
  const long long before = static_cast<long long>(blockIdx.x) * points_of_block;
  const long long end = min(before + points_of_block, v.points_per_cloud), first = before + threadIdx.x;
  int cells[points_at_once];
  v.cells_of_points(cells, v.cloud_points(), first, block_threads, end);
  merged_points merged[points_at_once];
#pragma unroll
  for (int k = 0; k < points_at_once; ++k) merged[k] = Merge()(cells[k]);
  wait_for_previous_kernel();
#pragma unroll
  for (int k = 0; k < points_at_once; ++k)
    send_merged(v, first + k * block_threads, cells[k], merged[k], events);
  events.write(v.events);
}

}  // namespace ablate::voxelize
