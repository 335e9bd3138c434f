// Warp aggregation, no shared memory: lanes of a warp whose points fall into the same cell send their count
// as one reduction. Should move: L2 reduction requests, down by the number of points that share a cell within
// 32 consecutive points; issue slots, up by finding them.
//   merge=warp         one match instruction finds the lanes of each cell.
//   election=shuffles  leaders are elected one after the other, a shuffle and a ballot each: issue slots, up
//                      by the number of distinct cells among 32 points.
//   merge=warp_runs    lanes merge only with the lane before, which takes one shuffle and one ballot. Scans
//                      and sorted points have equal cells side by side; on other clouds this wastes least.
//   pdl                cells are found and merged while the grid is still being cleared; of a single scan,
//                      whose launches take longer than its work, that is most of what there is to do.
#include "kernels/voxelize/warp_merge.cuh"

#include "kernels/voxelize/launches.h"

namespace ablate::voxelize {

void warp_merge(launcher& to, const problem& p, const switches& s) {
  if (s.word("merge") == "warp_runs")
    launch_merging<merge_neighbors>(to, p, s);
  else if (s.has("election"))
    launch_merging<merge_by_shuffles>(to, p, s);
  else
    launch_merging<merge_by_match>(to, p, s);
}

}  // namespace ablate::voxelize
