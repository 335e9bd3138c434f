// What can be chosen about placing points in buckets (docs/operations/psh_bucket.md).
#pragma once

#include "harness/registry/operation.h"

namespace ablate::psh_bucket {

inline std::vector<switch_facts> switches_of_psh_bucket() {
  return {
      {"counter",
       "what gives a point its rank in its bucket",
       {{"global_atomic", "one returning atomic in device memory per point"},
        {"two_stage", "counters in shared memory; a block commits all of them to device memory"},
        {"two_stage_skip_zero", "two_stage without committing zeros"},
        {"warp_aggregated", "one global atomic for the lanes of a warp that share a bucket"},
        {"two_stage_warp_aggregated",
         "one shared atomic for the lanes that share a bucket; no zeros committed"},
        {"cluster", "counters of eight blocks summed through distributed shared memory, one commit for all"},
        {"cumsum", "block histograms and column sums, without atomics in device memory"},
        {"sort_and_chunk", "the rank among all points, sorted by key and cut into chunks of the capacity"}},
       "L2 atomic lanes, to one per bucket and block; shared atomics and barrier stalls, up",
       "Flash3D, arXiv 2412.16481, section 4 and supplement 10.1"},
      {"launch",
       "kernels that place the points",
       {{"fused", "insertion and rebalancing in one"},
        {"split", "one for each phase"},
        {"resident", "one cooperative kernel with grid barriers for all phases"}},
       "launches, and reads of points between them, down"},
      {"smem_request",
       "KiB of shared memory that a block asks for",
       {{"needed", "what it uses"},
        {"48"},
        {"100"},
        {"164"},
        {"max", "all that a block can get, as published"}},
       "occupancy, down to one block per multiprocessor",
       "Flash3D, arXiv 2412.16481, its code"},
      {"rollback",
       "whether counters are decremented for points that overflow and claims that come too late",
       {{"none", "they are not, and may exceed the capacity"}},
       "L2 atomics, down by one per overflowing point and failed claim"},
      only_with(
          "counter", {"sort_and_chunk"},
          {"key_bits",
           "leading bits of the key by which points are sorted; otherwise all 16",
           {{"10"}, {"11"}, {"12"}, {"13"}},
           "shared memory for counters, and L2 atomics per block, up with each bit; with launch=split contention "
           "for counters, down"}),
      only_with("counter", {"sort_and_chunk"},
                {"holds",
                 "what a block keeps of its points in shared memory between phases",
                 {{"coordinates", "6 bytes per point; otherwise 12, with rows and their order"}},
                 "L2 reads of parts that do not fit, down; L2 write sectors, up"}),
  };
}

/// Every launch function of a counter in place.cuh requests shared memory this way.
inline switch_range range_of_smem_request() { return {"smem_request", {"48", "100", "164", "max"}}; }

}  // namespace ablate::psh_bucket
