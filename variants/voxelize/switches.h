// What can be chosen about counting points in cells (docs/operations/voxelize.md).
#pragma once

#include "harness/registry/operation.h"

namespace ablate::voxelize {

inline std::vector<switch_facts> switches_of_voxelize() {
  return {
      {"smem",
       "whether points or counts go through shared memory",
       {{"on", "they do"}, {"off", "every reduction goes to device memory"}},
       "L2 reductions, down; shared atomics and barrier stalls, up"},
      only_with("smem", {"on"},
                {"stage",
                 "what is kept in shared memory",
                 {{"points", "a copy of the block's points"},
                  {"voxels", "a table of cells"},
                  {"bricks", "dense counters of bricks of 8x8x8 cells"},
                  {"bins", "dense counters of a bin of cells"},
                  {"cells", "a tile of the grid"},
                  {"bitmap", "one bit per cell"}}}),
      only_with("stage", {"voxels"},
                {"search",
                 "how a point finds its cell's table entry",
                 {{"hash", "by the hash of the cell"}, {"scan", "entry by entry"}},
                 "shared loads per point"}),
      only_with("search", {"scan"},
                {"claim", "whether a point that finds no entry takes an empty one", {{"on", "it does"}}}),
      only_with(
          "stage", {"voxels"},
          {"entries", "of the table", {{"1024"}, {"2048"}, {"4096"}}, "points that miss the table, down"}),
      only_with("search", {"hash"},
                {"probes",
                 "entries that a point tries; otherwise one",
                 {{"4"}},
                 "points that miss the table, down"}),
      only_with("stage", {"bricks"}, {"bricks", "in shared memory at once", {{"1"}, {"16"}}}),
      only_with("smem", {"on"},
                {"points_per_block",
                 "points that a block counts",
                 {{"auto", "as many as leave a block for every SM"},
                  {"256"},
                  {"1024"},
                  {"2048"},
                  {"4096"},
                  {"8192"}}}),
      {"points_per_thread", "points that a thread locates before it counts them", {{"4"}}, "bytes in flight"},
      {"threads", "of a block, if not 256", {{"128"}, {"512"}}},
      {"merge",
       "which counts are merged before they reach the grid",
       {{"warp", "those of a warp's lanes with one cell"},
        {"warp_runs", "those of adjacent lanes with one cell"},
        {"lane_pairs", "those of lanes 2k and 2k+1"},
        {"runs", "all of a cell, by run-length encoding the sorted keys"},
        {"bricks", "all of a brick, in shared memory"},
        {"none", "every lane counts by itself"}},
       "L2 reductions, to one per cell and group of lanes"},
      only_with("merge", {"warp"},
                {"election",
                 "how lanes with one cell are found",
                 {{"shuffles", "by shuffle and ballot, leader after leader; otherwise by match"}}}),
      {"atomic",
       "how a point reaches its cell",
       {{"none", "by a plain store"}, {"exchange", "by an atomic exchange; otherwise by a reduction"}}},
      only_with(
          "atomic", {"none"},
          {"test", "whether the cell is read before it is written", {{"first", "only a 0 is written over"}}}),
      {"word",
       "what one reduction adds to, if not one counter",
       {{"64", "two int32 counters in a 64-bit word"}, {"2x32", "two floats by a vector reduction"}}},
      {"sort",
       "the order of cell keys before they are counted",
       {{"morton", "along a Morton curve"}, {"linear", "by cell index"}},
       "L2 sectors per reduction, down"},
      only_with("stage", {"bins"},
                {"partition",
                 "how points reach their bins",
                 {{"queues", "through queues in shared memory, in one launch"}}}),
      only_with("stage", {"bins", "cells"},
                {"clears",
                 "what zeroes the grid, if not a kernel before",
                 {{"itself", "the kernel writes every cell"}}}),
      only_with("smem", {"on"},
                {"copy",
                 "how data move between device and shared memory, if not by plain loads and stores",
                 {{"async", "by cp.async"}, {"bulk", "by bulk copies"}}}),
      only_with("smem", {"on"}, {"cluster", "blocks of a cluster", {{"2"}, {"8"}}}),
      {"vector", "width of a load of points", {{"16B", "16 bytes; otherwise 4"}}, "load instructions, down"},
      {"points",
       "the layout of points",
       {{"soa", "a structure of arrays; otherwise an array of structures"}}},
      {"division",
       "how a place becomes a cell",
       {{"reciprocal", "multiplied by the reciprocal of a cell's edge; otherwise divided by the edge"}}},
      {"passes", "over the data, if not 1", {{"2", "counts first, then 1 where a count is not 0"}}},
      only_with("stage", {"bins"},
                {"launch",
                 "kernels of a launch",
                 {{"one", "binning and counting in one"}},
                 "idle time between kernels, down"}),
      {"pdl",
       "whether a kernel starts while the one before still runs: programmatic dependent launch",
       {{"on", "it does"}},
       "idle time between kernels, down"},
  };
}

inline switch_range range_of_points_per_block() {
  return {"points_per_block", {"256", "1024", "4096", "8192"}};
}

/// Every launch function of a table in shared memory reads these.
inline std::vector<switch_range> ranges_of_tables() {
  return {{"entries", {"4096"}}, range_of_points_per_block(), {"threads", {"128", "512"}}};
}

/// The same, where lanes of a warp are merged first.
inline std::vector<switch_range> ranges_of_merging_tables() {
  std::vector<switch_range> ranges = ranges_of_tables();
  ranges.push_back({"election", {"shuffles"}});
  return ranges;
}

/// Of the study's tables. A point reads all entries, or as many as the block has found cells, so their number
/// is time and not only room.
inline std::vector<switch_range> ranges_of_scans() { return {{"entries", {"1024", "2048"}}}; }

}  // namespace ablate::voxelize
