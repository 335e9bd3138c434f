// Packed pairs merged in the warp: all lanes whose points fall into one pair of cells are found by matching
// the pair's number, and the first of them sends the numbers of both cells as one 64-bit reduction. Should
// move, against warp_match: L2 reduction requests, further down by the points that share a pair but not a
// cell.
#include "kernels/voxelize/cell_pairs.cuh"

namespace ablate::voxelize {

void packed_pair_match(launcher& to, const problem& p, const switches&) { launch_pairs<int>(to, p); }

}  // namespace ablate::voxelize
