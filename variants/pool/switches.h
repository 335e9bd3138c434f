// What can be chosen about pooling points to clusters (docs/operations/pool.md).
#pragma once

#include "harness/registry/operation.h"

namespace ablate::pool {

inline std::vector<switch_facts> switches_of_pool() {
  return {
      {"index",
       "how points become clusters",
       {{"counting_sort", "a counting sort of each bucket by cell, cut into clusters of the ratio"},
        {"radix_sort", "a stable radix sort of each bucket by cell, cut into clusters of the ratio"},
        {"three_steps", "hash to clusters, allocate empty ones, search for the nearest with room"},
        {"torch_steps", "shift, unique, two sorts, sums and heads, then a sort per curve"},
        {"sort_packed", "one sort of words that hold code and row, then one of all new orders"},
        {"hash_table", "coarser cells inserted into a hash table"},
        {"flags_of_orders", "flags where codes change along existing orders, one scan per curve"}},
       "launches, DRAM bytes and barrier stalls of the index",
       "Flash3D, arXiv 2412.16481, supplement 10.5; Point Transformer V2, arXiv 2210.05666, section 3.4"},
      {"blocks",
       "where a block of threads finds the place of its clusters",
       {{"computed", "from the sizes of instances"},
        {"arrival", "from a global counter, in the order of arrival, as published"}},
       "global atomics, to none"},
      {"smem_request",
       "KiB of shared memory that a block of the index asks for",
       {{"needed", "what it uses"}, {"100"}, {"164"}, {"max", "all that a block can get, as published"}},
       "occupancy, down to one block per multiprocessor"},
      {"launch",
       "kernels of index, reduction and finish",
       {{"each", "one or more for each phase"},
        {"one", "one for all phases; of flags_of_orders, one for the index"},
        {"pdl", "the index's second kernel begins while the first runs (PDL)"}},
       "launches, to one; members' indices read from L2, to none"},
      {"reduction",
       "how a warp reads rows of features",
       {{"vec16", "16 bytes per lane, several rows at once"}, {"warp_row", "2 bytes per lane, one row"}},
       "load instructions per byte, to an eighth"},
      {"finish",
       "where batch norm and GELU are computed",
       {{"separate", "in a kernel after the reduction"}, {"fused", "in the reduction's registers"}},
       "DRAM bytes, down by pooled rows written and read once"},
      {"winner",
       "where the gradient of a minimum or maximum finds its member",
       {{"kept", "in memory, as the reduction left it"}, {"searched", "among the members' features, again"}},
       "bytes, by a word per pooled number against two reads of features"},
      {"members",
       "how a cluster's rows are stored",
       {{"lists", "one after another, with a start per cluster; all warps add 16-bit counters to places"},
        {"table",
         "as many places per cluster as the ratio, prefilled, and 256 segments of 32-bit counters that one "
         "warp adds up, as published"}},
       "bytes stored before the index, to none; barrier stalls of the index, down"},
      only_with("launch", {"one"},
                {"prefetch_kib",
                 "KiB of a block's features that it prefetches to L2 before it sorts, at most",
                 {{"0"}, {"32"}, {"64"}, {"256"}},
                 "time without DRAM reads while blocks sort, down"}),
      only_with("launch", {"one"},
                {"clusters_at_once",
                 "clusters whose rows a thread loads before it adds any",
                 {{"1"}, {"2", "one where winners are kept"}},
                 "bytes in flight"}),
      only_with("launch", {"one"},
                {"gelu",
                 "how GELU is computed in a fused finish",
                 {{"erf", "by erff"}, {"power", "by a polynomial and one power of two"}},
                 "instructions per pooled number, down"}),
  };
}

}  // namespace ablate::pool
