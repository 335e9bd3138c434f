// The hashed table behind merging in the warp: match finds the lanes whose points share a cell, and the first
// of them takes their count to the table. Should move, against smem_hashed: shared atomics, down by the
// points that share a cell within a warp's 32, and with them the contention for one address.
#include "kernels/voxelize/hashed_table.cuh"
#include "kernels/voxelize/launches.h"

namespace ablate::voxelize {

void smem_hashed_warp_match(launcher& to, const problem& p, const switches& s) {
  launch_table<table_config{.merges_warp = true}>(to, p, s);
}

}  // namespace ablate::voxelize
