// Two counters in one word: the grid as pairs of cells 2j and 2j + 1, one reduction per merged pair. Layout:
// see cell_pairs.cuh. What is merged, and what should move:
//   word=64           the int32 grid as 64-bit words, cell 2j in the low half. Nothing is merged: as many
//                     reductions as global_atomic sends, on wider words. Should move: nothing, the control. A
//                     carry out of the low half would need 2^32 points in a cell.
//   merge=lane_pairs  lanes 2k and 2k + 1 exchange their cells, and if both belong to one pair of cells, the
//                     even lane sends both points as one reduction. L2 reduction requests, halved at best.
//   merge=warp        a match on the pair's number finds all lanes whose points fall into one pair of cells,
//                     and the first of them sends both cells' counts. Against warp_match: L2 reduction
//                     requests, further down by the points that share a pair but not a cell.
//   word=2x32         float counters, and one reduction of two floats (red.v2.f32, Hopper) for both cells of
//                     a pair. No carry between the halves.
//   pdl               cells are found and merged while the grid is still being cleared.
#include "kernels/common/dependent_launch.cuh"
#include "kernels/voxelize/cell_pairs.cuh"
#include "kernels/voxelize/launches.h"

namespace ablate::voxelize {

/// One point per thread, each added by itself. `Waits`: see match_and_add.
template <bool Waits, bool Instrumented>
__device__ __forceinline__ void add_alone(const view<int>& v, const cell_pairs<int>& pairs) {
  tally<Instrumented> events;
  const long long i = point_of_thread();
  const auto cell_of_point = [&] { return v.cell_of_point(v.cloud_points(), i); };
  const auto add = [&](int cell) {
    const int at = pairs.place_of(v, cell);
    pairs.add(v, at / 2, at % 2 == 0, at % 2 == 1, events);
  };
  if constexpr (Waits) {
    const int found = cell_of_point();
    wait_for_previous_kernel();
    with_cell(
        v, i, events, [&] { return found; }, add);
  } else {
    with_cell(v, i, events, cell_of_point, add);
  }
  events.write(v.events);
}

template <bool Instrumented>
__global__ __launch_bounds__(block_threads) void add_to_pair(view<int> v, cell_pairs<int> pairs) {
  add_alone<false, Instrumented>(v, pairs);
}

template <bool Instrumented>
__global__ __launch_bounds__(block_threads) void find_then_add_to_pair(view<int> v, cell_pairs<int> pairs) {
  add_alone<true, Instrumented>(v, pairs);
}

template <bool Instrumented>
__global__ __launch_bounds__(block_threads) void merge_lane_pairs(view<int> v, cell_pairs<int> pairs) {
  tally<Instrumented> events;
  const long long i = point_of_thread();
  const int at = pairs.place_of(v, v.cell_of_point(v.cloud_points(), i));
  const int other = __shfl_xor_sync(whole_warp, at, 1);
  const bool merges = at >> 1 == other >> 1;
  const bool leads = !merges || threadIdx.x % 2 == 0;
  if (i < v.points_per_cloud) {
    events.add(points);
    if (threadIdx.x % 2 == 0) events.add(groups);
  }
  if (at >= 0) {
    events.add(valid);
    if (leads) {
      events.add(group_voxels);
      const unsigned high = static_cast<unsigned>(at & 1) + (merges ? static_cast<unsigned>(other & 1) : 0);
      pairs.add(v, at >> 1, (merges ? 2 : 1) - high, high, events);
    } else {
      events.add(hits);
    }
  }
  events.write(v.events);
}

/// One point per thread: one match instruction finds the warp's points in the same pair of cells, and the
/// first lane adds to both cells. `Waits`: launched after the kernel that clears the grid, it matches while
/// that still runs, and waits for it before it adds.
template <bool Waits, bool Instrumented, class Count>
__device__ __forceinline__ void match_and_add(const view<Count>& v, const cell_pairs<Count>& pairs) {
  tally<Instrumented> events;
  const long long i = point_of_thread();
  const int at = pairs.place_of(v, v.cell_of_point(v.cloud_points(), i));
  const unsigned peers = __match_any_sync(whole_warp, at >> 1);
  const unsigned lower = __ballot_sync(whole_warp, (at & 1) == 0);
  if constexpr (Waits) wait_for_previous_kernel();
  if (i < v.points_per_cloud) {
    events.add(points);
    if (threadIdx.x % warpSize == 0) events.add(groups);
  }
  if (at >= 0) {
    events.add(valid);
    if (threadIdx.x % warpSize == __ffs(peers) - 1u) {
      events.add(group_voxels);
      pairs.add(v, at >> 1, __popc(peers & lower), __popc(peers & ~lower), events);
    } else {
      events.add(hits);
    }
  }
  events.write(v.events);
}

template <class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void match_pairs(view<Count> v, cell_pairs<Count> pairs) {
  match_and_add<false, Instrumented>(v, pairs);
}

template <class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void match_then_add_to_pair(view<Count> v,
                                                                        cell_pairs<Count> pairs) {
  match_and_add<true, Instrumented>(v, pairs);
}

template <class Count>
void launch_pairs(launcher& to, const problem& p, const switches& s,
                  void (*kernel)(view<Count>, cell_pairs<Count>)) {
  launch(to, kernel,
         {.grid = grid_of(p, block_threads),
          .block = dim3(block_threads),
          .overlaps_previous = overlaps_clearing(p, s)},
         view<Count>(p), cell_pairs<Count>(p));
}

void count_in_pairs(launcher& to, const problem& p, const switches& s) {
  const bool waits = s.is_on("pdl"), merges = s.has("merge");
  ablate::with_form(p, [&](auto instrumented) {
    if (s.word("word") == "2x32")
      launch_pairs(to, p, s,
                   waits ? match_then_add_to_pair<float, instrumented> : match_pairs<float, instrumented>);
    else if (merges && s.word("merge") == "lane_pairs")
      launch_pairs(to, p, s, merge_lane_pairs<instrumented>);
    else if (merges)
      launch_pairs(to, p, s,
                   waits ? match_then_add_to_pair<int, instrumented> : match_pairs<int, instrumented>);
    else
      launch_pairs(to, p, s, waits ? find_then_add_to_pair<instrumented> : add_to_pair<instrumented>);
  });
}

}  // namespace ablate::voxelize
