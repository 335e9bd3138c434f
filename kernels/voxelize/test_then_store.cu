// Occupancy by plain stores only where needed: a point reads its cell, and stores 1 only if it finds 0.
// Should move, against plain_store: write sectors, down by the number of points per cell; read sectors, up by
// one per point, and the store waits for them.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/mark_cells.cuh"

namespace ablate::voxelize {

struct store_one_where_zero {
  __device__ bool operator()(int* cell) const {
    if (*cell == 0) *cell = 1;
    return false;
  }
};

void test_then_store(launcher& to, const problem& p, const switches&) {
  launch_marking<store_one_where_zero>(to, p);
}

}  // namespace ablate::voxelize
