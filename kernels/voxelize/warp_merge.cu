// Warp aggregation, no shared memory: lanes of a warp whose points fall into the same cell send their count
// as one reduction. Should move: L2 reduction requests, down by the number of points that share a cell within
// 32 consecutive points; issue slots, up by finding them.
//   merge=warp           one match instruction finds the lanes of each cell.
//   election=shuffles    leaders are elected one after the other, a shuffle and a ballot each: issue
//                        slots, up by the number of distinct cells among 32 points.
//   merge=warp_runs      lanes merge only with the lane before, which takes one shuffle and one ballot. Scans
//                        and sorted points have equal cells side by side; on other clouds this wastes least.
//   points_per_thread=4  a block's width apart, all found and merged before the first is sent: bytes in
//                        flight, up.
//   points=soa           each of a warp's three loads is contiguous: load sectors, each once instead of three
//                        times.
//   division=reciprocal  a multiplication finds the cell: instructions, down.
//   pdl                  cells are found and merged while the grid is still being cleared; of a single scan,
//                        whose launches take longer than its work, that is most of what there is to do.
#include "kernels/voxelize/warp_merge.cuh"

#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/point_sources.cuh"

namespace ablate::voxelize {

template <class Merge>
void merge_by(launcher& to, const problem& p, const switches& s) {
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to, merge_in_warp<Merge, Count, instrumented>,
           {.grid = grid_of(p, block_threads),
            .block = dim3(block_threads),
            .overlaps_previous = overlaps_clearing(p, s)},
           view<Count>(p));
  });
}

/// By match, with points from such a source.
template <class Source>
void match_from(launcher& to, const problem& p, const switches& s) {
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to, merge_from_source<merge_by_match, Source, Count, instrumented>,
           {.grid = grid_of(p, block_threads),
            .block = dim3(block_threads),
            .overlaps_previous = overlaps_clearing(p, s)},
           Source::template view_of<Count>(p), Source(p));
  });
}

void match_four_points(launcher& to, const problem& p, const switches& s) {
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to, merge_four_in_warp<merge_by_match, Count, instrumented>,
           {.grid = grid_of(p, points_at_once * block_threads),
            .block = dim3(block_threads),
            .overlaps_previous = overlaps_clearing(p, s)},
           view<Count>(p));
  });
}

void warp_merge(launcher& to, const problem& p, const switches& s) {
  if (s.word("merge") == "warp_runs")
    merge_by<merge_neighbors>(to, p, s);
  else if (s.has("election"))
    merge_by<merge_by_shuffles>(to, p, s);
  else if (s.has("points"))
    match_from<columns>(to, p, s);
  else if (s.has("division"))
    match_from<multiplied>(to, p, s);
  else if (s.has("points_per_thread"))
    match_four_points(to, p, s);
  else
    merge_by<merge_by_match>(to, p, s);
}

}  // namespace ablate::voxelize
