// What can be chosen about gradients of attention to selected blocks
// (docs/operations/selection_attention_backward.md).
#pragma once

#include <vector>

#include "harness/registry/operation.h"

namespace ablate::selection_attention_backward {

/// Of passes by key block, which read the transposed lists: the second of two, or one with dQ by
/// reductions.
inline switch_facts with_inverted_lists(switch_facts of) {
  of.only_with = {{"passes", {"two"}}, {"dq", {"reductions"}}};
  return of;
}

inline std::vector<switch_facts> switches_of_selection_attention_backward() {
  const char* const flash_attention_2 = "FlashAttention-2, arXiv 2307.08691, §3.1.2";
  return {
      {"passes",
       "passes over the pairs of query and key blocks",
       {{"two", "one for dQ, one for dK and dV: seven products"}, {"one", "one for all: five products"}},
       "tensor instructions, to 5/7; L2 reductions, up",
       "Speed3R, arXiv 2603.08055, supplement §1.1: two"},
      {"dq",
       "how dQ is summed",
       {{"by_query",
         "in registers, by the warp of a query block; in one pass dK and dV take fp32 reductions then"},
        {"reductions", "by fp32 reductions to memory; dK and dV in registers, by the warp of a key block"}},
       "L2 reductions: 4 KB per pair of tiles for dQ, 8 KB for dK and dV",
       flash_attention_2},
      with_inverted_lists(
          {"cut",
           "which inverted rows are cut into pieces, a warp each",
           {{"long_rows", "those of at least two pieces of 128 pairs of tiles"}, {"none", "none"}},
           "time of the last warp, down where few blocks are selected by many"}),
      with_inverted_lists(
          {"pieces",
           "how the pieces of a cut row are added",
           {{"in_order", "in their order: bitwise reproducible"}, {"reductions", "by fp32 reductions"}},
           "L2 reductions"}),
      with_inverted_lists({"tiles_ahead",
                           "tiles of queries loaded ahead, in the pass by key block",
                           {{"0"}, {"1"}},
                           "warps per SM, from 8 to 12 without; stalls on loads"}),
      with_inverted_lists({"ranks",
                           "where an entry's place in its inverted row comes from",
                           {{"second_atomic", "a second atomic, which counts the row down"},
                            {"kept", "what counting it returned, kept in memory"}},
                           "L2 atomics, from two to one per entry"}),
      with_inverted_lists({"rows",
                           "order of the query blocks of an inverted row",
                           {{"ordered", "ascending, by a sort of each row"}, {"any", "as they come"}},
                           "DRAM bytes, 8 per entry more for the sort"}),
  };
}

}  // namespace ablate::selection_attention_backward
