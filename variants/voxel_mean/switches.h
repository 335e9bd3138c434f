// What can be chosen about means of features in cells (docs/operations/voxel_mean.md).
#pragma once

#include "harness/registry/operation.h"

namespace ablate::voxel_mean {

inline std::vector<switch_facts> switches_of_voxel_mean() {
  return {
      {"sum",
       "where features are added up",
       {{"device", "in device memory, by reductions"},
        {"smem", "in a direct-mapped table of cells in shared memory, then in device memory"},
        {"owners", "in shared memory of the one block that owns the cell"},
        {"registers", "in registers, run by run of points sorted by cell: the same bits in every run"}},
       "L2 reductions, down; shared atomics, up"},
      {"merge",
       "which points of a cell are summed before a reduction is sent",
       {{"none", "none"},
        {"warp", "those in a warp's lanes, found by match"},
        {"run", "consecutive ones, in registers"},
        {"block", "those of a block, in its table"}},
       "L2 reduction requests, down; issue slots, up"},
      {"width",
       "floats per reduction or store",
       {{"1"}, {"2"}, {"4"}},
       "L2 reduction requests, from features + 1 to features / width + 1 per point"},
      {"thread",
       "what a thread adds",
       {{"feature", "one feature of a point; otherwise all features of a point"}},
       "sectors per request, down; instructions, up",
       "torch-scatter, scatter_mean"},
      only_with("sum", {"smem"},
                {"table_kib",
                 "KiB that a block's table may take: a power of two of slots, 2048 at most",
                 {{"12"}, {"24"}, {"48"}, {"96"}},
                 "points that miss the table, down; occupancy, down"}),
      only_with("sum", {"owners"},
                {"clears",
                 "what zeroes the grid, if not a kernel before",
                 {{"itself", "the kernel writes every cell"}},
                 "launches, down by one"}),
      only_with("sum", {"owners"},
                {"copy",
                 "how zeros are stored, if not by the threads",
                 {{"bulk", "by bulk copies, while points are picked and summed"}},
                 "store instructions, down"}),
      only_with("sum", {"owners"},
                {"launch",
                 "kernels of a launch",
                 {{"one", "clearing, summing and dividing in one kernel"}},
                 "idle time between kernels, down"}),
      {"pdl",
       "whether a kernel starts while the one before still runs: programmatic dependent launch",
       {{"on", "it does"}},
       "idle time between kernels, down"},
  };
}

}  // namespace ablate::voxel_mean
