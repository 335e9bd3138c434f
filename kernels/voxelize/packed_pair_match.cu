// Packed pairs merged in the warp: a match on the pair's number finds all lanes whose points fall into one
// pair of cells, and the first of them sends both cells' counts as one 64-bit reduction. Should move, against
// warp_match: L2 reduction requests, further down by the points that share a pair but not a cell.
#include "kernels/voxelize/cell_pairs.cuh"
#include "kernels/voxelize/launches.h"

namespace ablate::voxelize {

void packed_pair_match(launcher& to, const problem& p, const switches&) { launch_pairs<int>(to, p); }

}  // namespace ablate::voxelize
