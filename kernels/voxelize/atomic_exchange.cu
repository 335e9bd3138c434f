// Occupancy by exchange: every point exchanges its cell for 1. The old value is not used, but an exchange has
// no form without a result: it is an atomic, which returns from L2, and not a reduction. Should move, against
// global_atomic: L2 atomic sectors instead of reduction sectors.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/mark_cells.cuh"

namespace ablate::voxelize {

struct exchange_for_one {
  __device__ bool operator()(int* cell) const {
    atomicExch(cell, 1);
    return true;
  }
};

void atomic_exchange(launcher& to, const problem& p, const switches&) {
  launch_marking<exchange_for_one>(to, p);
}

}  // namespace ablate::voxelize
