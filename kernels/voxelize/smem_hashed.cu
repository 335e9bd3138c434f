// Voxel staging engineered: a direct-mapped table of (cell, count) in shared memory, one access per point
// instead of a scan; a point whose slot belongs to another cell counts in device memory. Should move: L2
// reduction sectors, down by the number of points that share a cell within a block's points; shared atomics,
// up.
//   probes=4           open addressing: a point tries four slots before it counts in device memory. Should
//                      move: `fallbacks`, and with them L2 reduction sectors, down where a block's points
//                      occupy about as many cells as the table has entries; shared loads, up.
//   merge=warp         match finds the lanes whose points share a cell, and the first of them adds their
//                      count to the table. Should move: shared atomics, down by the points that share a cell
//                      within a warp's 32, and with them the contention for one address.
//   election=shuffles  those lanes are found without match, a shuffle and a ballot for each cell among them.
//                      Should move: issue slots, up by the number of distinct cells among 32 points.
//   pdl                tables are filled while the grid is still being cleared.
#include "kernels/voxelize/hashed_table.cuh"
#include "kernels/voxelize/launches.h"

namespace ablate::voxelize {

void smem_hashed(launcher& to, const problem& p, const switches& s) {
  if (s.has("probes"))
    launch_table<table_config{.probes = 4}>(to, p, s);
  else if (s.has("election"))
    launch_table<table_config{.merge = table_merge::by_shuffles}>(to, p, s);
  else if (s.has("merge"))
    launch_table<table_config{.merge = table_merge::by_match}>(to, p, s);
  else
    launch_table<table_config{}>(to, p, s);
}

}  // namespace ablate::voxelize
