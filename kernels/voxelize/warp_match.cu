// Warp aggregation, no shared memory: one match instruction finds the lanes of a warp whose points fall into
// the same cell, and the first of them sends their count as one reduction. Should move: L2 reduction
// requests, down by the number of points that share a cell within 32 consecutive points; issue slots, up by
// the match. `launch=overlapped`: cells are found and merged while the grid is still being cleared; of a
// single scan, whose launches take longer than its work, that is most of what there is to do.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/warp_merge.cuh"

namespace ablate::voxelize {

void warp_match(launcher& to, const problem& p, const switches& s) {
  launch_merging<merge_by_match>(to, p, s);
}

}  // namespace ablate::voxelize
