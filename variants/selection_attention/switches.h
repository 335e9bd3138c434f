// What can be chosen about attention to selected blocks (docs/operations/selection_attention.md).
#pragma once

#include <vector>

#include "harness/registry/operation.h"

namespace ablate::selection_attention {

inline std::vector<switch_facts> switches_of_selection_attention() {
  return {
      {"fragments",
       "how keys and values get into MMA fragments",
       {{"staged", "by way of shared memory, as published"}, {"direct", "by loads from global memory"}},
       "shared-memory accesses, to none; L2 throughput, up",
       "Speed3R, arXiv 2603.08055, supplement §1.1"},
      only_with("fragments", {"staged"}, {"tiles_per_stage", "tiles of 16 keys in a stage", {{"1"}, {"4"}}}),
      only_with(
          "fragments", {"staged"},
          {"stages", "stages of a ring in shared memory", {{"2"}, {"3"}, {"4"}}, "stalls on copies, down"}),
      only_with("fragments", {"staged"},
                {"copies",
                 "how tiles are copied into shared memory",
                 {{"past_l1", "by cp.async past L1"},
                  {"through_l1", "by cp.async through L1, which the warps of an SM share"},
                  {"tma", "by TMA"}},
                 "L2 bytes, down where warps of an SM read the same blocks"}),
      only_with("fragments", {"direct"},
                {"tiles_ahead",
                 "tiles of 16 keys and values on their way to registers",
                 {{"1"}, {"2"}},
                 "stalls on loads, down; warps per SM, from 16 to 12"}),
      {"softmax",
       "when the maximum of a row is raised",
       {{"running", "at every tile"}, {"lazy", "when a score exceeds it by 8 powers of two"}},
       "instructions per score, down"},
      {"warps",
       "warps of a block, each with 16 neighboring queries",
       {{"4"}, {"8"}, {"16"}},
       "L1 hit rate, up where neighbors select the same blocks"},
      {"grid",
       "what consecutive blocks of the grid are",
       {{"by_head", "the query tiles of one head"}, {"by_tile", "the heads of one query tile"}},
       "L2 hit rate"},
      only_with(
          "fragments", {"staged"},
          {"shares",
           "what warps of a block load together",
           {{"blocks", "the union of their lists, each block once"}, {"list", "the one list of 64 queries"}},
           "L2 bytes, down by the entries of all lists per block of their union"}),
      {"core",
       "which instructions multiply",
       {{"wgmma", "wgmma, 64 queries at once"}, {"off", "mma.sync, 16 queries at once"}},
       "tensor pipe activity, up"},
      {"gate",
       "where outputs are gated",
       {{"epilogue", "in registers, before they are stored"},
        {"kernel", "in a kernel behind it"},
        {"off", "in a kernel behind it, if at all"}},
       "DRAM bytes, 4 per element of O less in the epilogue"},
  };
}

}  // namespace ablate::selection_attention
