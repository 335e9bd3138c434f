// The minimum cost of a launch: one thread stores one word.
#include "kernels/ceilings/ceilings.h"
#include "kernels/ceilings/launches.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"

namespace ablate::ceilings {

__global__ void store_one(unsigned* out) { *out = 1; }

void smallest_kernel(launcher& to, const problem& p, const switches&) {
  launch(to, store_one, dim3(1), dim3(1), 0, static_cast<unsigned*>(p.out));
}

}  // namespace ablate::ceilings
