// Warp aggregation without a match instruction: leaders are elected one after the other, a shuffle and a
// ballot each, until no lane is left. The same reductions as warp_match. Should move, against it: issue
// slots, up by the number of distinct cells among 32 points.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/warp_merge.cuh"

namespace ablate::voxelize {

void warp_shuffles(launcher& to, const problem& p, const switches& s) {
  launch_merging<merge_by_shuffles>(to, p, s);
}

}  // namespace ablate::voxelize
