// What can be chosen about attention among pooled rows (docs/operations/compression_attention.md).
#pragma once

#include "variants/global_attention/switches.h"

namespace ablate::compression_attention {

inline std::vector<switch_facts> switches_of_compression_attention() {
  using namespace global_attention;
  return {
      core_switch(),
      {"choice",
       "how a row's key blocks are chosen",
       {{"sorted_tiles", "every tile's 64 scores are sorted and merged into the list, as published"},
        {"threshold", "scores above a full list's lowest are buffered and merged"},
        {"two_pass", "scores go to memory; a second kernel selects from them"},
        {"recomputed",
         "maxima of tiles go to memory; a second kernel recomputes the tiles that reach a bound"},
        {"none", "no lists: attention alone"}},
       "instructions per score, to less than two above attention alone; DRAM bytes in two passes",
       "Speed3R, arXiv 2603.08055, supplement 1.1"},
      only_with("choice", {"sorted_tiles"},
                {"rank_bits",
                 "bits of a list's entry, if not 64",
                 {{"32"}},
                 "shuffles per exchange of the sort, to one"}),
      groups_switch({{"2"}, {"3"}}),
      only_with("choice", {"threshold"},
                {"tile_keys",
                 "keys of a tile, if not 96, in blocks of three warpgroups",
                 {{"64"}},
                 "barrier stalls, by a ring of four stages in place of three"}),
      first_keys_switch({keys_near_the_queries(), keys_from_the_first()}),
      only_with("core", {"hopper"},
                {"seeds",
                 "whether lists begin with a bound, from a first pass over 832 keys",
                 {{"on", "they do"}, {"off", "they begin empty"}},
                 "candidates per row, down"}),
      only_with("choice", {"threshold"},
                {"search",
                 "when scores are compared with a list's lowest, if not between the products",
                 {{"while_multiplying", "while outputs are multiplied, warpgroups by turns"}},
                 "tensor pipe activity, up"}),
  };
}

}  // namespace ablate::compression_attention
