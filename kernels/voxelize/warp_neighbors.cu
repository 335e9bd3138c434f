// Warp aggregation of neighbors: points of the same cell are merged only if they are consecutive, which takes
// one shuffle and one ballot. Scans and sorted points have equal cells side by side; on other clouds this
// wastes the least work. Should move: L2 reduction requests, down by the mean length of a run of points in
// one cell (cut at every 32 points).
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/warp_merge.cuh"

namespace ablate::voxelize {

void warp_runs(launcher& to, const problem& p, const switches& s) {
  launch_merging<merge_neighbors>(to, p, s);
}

}  // namespace ablate::voxelize
