// What can be chosen about the layer's gradients (docs/operations/gated_attention_backward.md).
#pragma once

#include "variants/gated_attention/switches.h"

namespace ablate::gated_attention_backward {

inline std::vector<switch_facts> switches_of_gated_attention_backward() {
  using namespace global_attention;
  std::vector<switch_facts> all = gated_attention::switches_of_layer({}, {});
  std::erase_if(all, [](const switch_facts& s) { return s.name == "warps"; });
  const std::vector<switch_facts> backward = {
      {"warps", "of a block of the selection", {{"4"}}},
      {"inversion",
       "how lists are turned around, to the query blocks that name each key block",
       {{"sort", "by sorting pairs, as published"}, {"count", "by counting, then putting each in its place"}},
       "DRAM bytes of the sort, to none"},
      only_with("inversion", {"sort"},
                {"ends",
                 "how ends of inverted rows are found in sorted pairs",
                 {{"one_block_a_head", "one block per head counts them, as published"},
                  {"neighbors", "every pair is compared with the one before"}},
                 "idle SMs, down"}),
      only_with("inversion", {"count"},
                {"ranks",
                 "where an entry's place in its row is known from, in an inversion by counting",
                 {{"kept", "the counting atomic's result, kept in memory"},
                  {"second_atomic", "a second atomic when it is put there"}},
                 "atomics, by half; DRAM bytes, up by 4 per entry written and read"}),
      only_with(
          "inversion", {"count"},
          {"rows",
           "order of entries within an inverted row",
           {{"ordered", "ascending: sums give the same bits in every run"}, {"any", "the order of arrival"}},
           "time of the inversion"}),
      {"backward",
       "when pooled rows' gradients are computed",
       {{"one_stream", "before the selection's, on one stream"},
        {"two_streams", "beside the selection's, on a second stream"}},
       "time, to that of the longer branch"},
      dq_switch({in_two_passes(), by_reductions(), by_bulk_copies()}),
      {"cut",
       "how long inverted rows are shared out",
       {{"none", "a warp per row, as published"}, {"long_rows", "in pieces of bounded length"}},
       "time of the longest warp, down"},
      {"pieces",
       "how gradients of a long row's pieces are added",
       {{"in_order", "in their order, the same bits in every run"},
        {"reductions", "by reductions to fp32 sums"}},
       "L2 reductions, to none in order"},
      {"adjoint",
       "where tokens get their part of pooled rows' gradients",
       {{"kernel", "in a later kernel, in place"},
        {"epilogue", "where the selection's gradients are stored"}},
       "DRAM bytes, down by 12 per element of Q"},
      only_with("adjoint", {"kernel"},
                {"warp",
                 "what a warp of the adjoint's kernel spreads",
                 {{"block", "q, k and v of a block"}, {"tensor", "one of the three"}}}),
  };
  all.insert(all.end(), backward.begin(), backward.end());
  return all;
}

}  // namespace ablate::gated_attention_backward
