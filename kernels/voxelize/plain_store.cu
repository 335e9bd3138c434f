// Occupancy by plain stores: every point stores 1 to its cell. No atomic is needed, since all store the same
// value. Should move, against global_atomic: L2 reduction sectors become write sectors.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/mark_cells.cuh"

namespace ablate::voxelize {

/// A mark returns whether it took an atomic.
struct store_one {
  __device__ bool operator()(int* cell) const {
    *cell = 1;
    return false;
  }
};

void plain_store(launcher& to, const problem& p, const switches&) { launch_marking<store_one>(to, p); }

}  // namespace ablate::voxelize
