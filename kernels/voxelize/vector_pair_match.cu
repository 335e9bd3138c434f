// Vector pairs merged in the warp: packed_pair_match on float counters, with one reduction of two floats
// (red.v2.f32, Hopper) for both cells of a pair. No carry between the halves. Should move, against warp_match
// in this mode: L2 reduction requests, as for packed_pair_match.
#include "kernels/voxelize/cell_pairs.cuh"
#include "kernels/voxelize/launches.h"

namespace ablate::voxelize {

void vector_pair_match(launcher& to, const problem& p, const switches&) { launch_pairs<float>(to, p); }

}  // namespace ablate::voxelize
