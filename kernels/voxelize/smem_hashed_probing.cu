// The hashed table with open addressing: a point whose slot belongs to another cell tries the next, four in
// all, before it counts in device memory. Should move, against smem_hashed: `fallbacks`, and with them L2
// reduction sectors, down where a block's points occupy about as many cells as the table has entries; shared
// loads, up.
#include "kernels/voxelize/hashed_table.cuh"
#include "kernels/voxelize/launches.h"

namespace ablate::voxelize {

void smem_hashed_probing(launcher& to, const problem& p, const switches& s) {
  launch_table<table_config{.probes = 4}>(to, p, s);
}

}  // namespace ablate::voxelize
