#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/hash_avalanche/hash_avalanche.h"

// The launch functions of hash_avalanche, by the file that defines them.

namespace ablate::hash_avalanche {

// bit_planes.cu
void bit_planes(launcher&, const problem&, const switches&);

// warp_ballots.cu
void warp_ballots(launcher&, const problem&, const switches&);

}  // namespace ablate::hash_avalanche
