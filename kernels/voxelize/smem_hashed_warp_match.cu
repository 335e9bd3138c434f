// The hashed table behind the warp's own merging: lanes with points of one cell are found by match, and the
// first of them goes to the table with their number. Should move, against smem_hashed: shared atomics, down
// by the points that share a cell within a warp's 32, and with them the waiting of lanes for one address.
#include "kernels/voxelize/hashed_table.cuh"

namespace ablate::voxelize {

void smem_hashed_warp_match(launcher& to, const problem& p, const switches& s) {
  launch_table<1, true>(to, p, s);
}

}  // namespace ablate::voxelize
