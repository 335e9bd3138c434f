// What can be chosen about the layer of pooled, selected and gated attention
// (docs/operations/gated_attention.md).
#pragma once

#include "variants/global_attention/switches.h"

namespace ablate::gated_attention {

/// With the ways of choosing blocks and of attending to them that an operation has beside these.
inline std::vector<switch_facts> switches_of_layer(std::vector<switch_value> choices,
                                                   std::vector<switch_value> selections) {
  using namespace global_attention;
  choices.insert(choices.begin(),
                 {{"sorted_tiles", "every tile's scores are sorted and merged into the list, as published"},
                  {"threshold", "scores above a full list's lowest are buffered and merged"}});
  selections.insert(selections.begin(),
                    {{"staged", "tokens come through shared memory, a tile per warp, as published"},
                     {"direct", "tokens are loaded straight into MMA fragments"}});
  return {
      {"pooling",
       "kernels that pool q, k and v",
       {{"separate", "one launch or more for each tensor, as published"},
        {"warp_per_block", "one launch; a warp pools q, k and v of a block"}},
       "launches and DRAM bytes of the pooling, down"},
      only_with("pooling", {"separate"},
                {"load_bytes",
                 "bytes per lane and load, in separate pooling",
                 {{"4"}, {"16"}},
                 "load instructions, down"}),
      only_with(
          "pooling", {"warp_per_block"},
          {"loads_in_flight", "loads of a lane under way, a warp per block", {{"12"}}, "bytes in flight"}),
      {"neighbors", "what neighboring warps pool", {{"blocks", "the next block of one head"}}},
      core_switch(),
      groups_switch({{"2"}, {"3"}}),
      first_keys_switch({keys_near_the_queries(), keys_from_the_first()}),
      only_with("core", {"hopper"},
                {"seeds",
                 "whether lists begin with a bound, from a first pass over near keys",
                 {{"on", "they do"}, {"off", "they begin empty"}},
                 "candidates per row, down"}),
      {"choice", "how a row's key blocks are chosen", choices,
       "instructions per score of the compression; DRAM bytes", "Speed3R, arXiv 2603.08055, supplement 1.1"},
      {"selection", "how selected tokens reach the tensor cores", selections,
       "shared memory traffic, and L2 reads of selected tokens, down"},
      only_with("selection", {"staged"},
                {"tiles_per_stage", "tiles of 16 tokens per stage in shared memory", {{"1"}}}),
      only_with("selection", {"staged"},
                {"stages", "of the ring in shared memory", {{"2"}}, "bytes in flight"}),
      only_with("selection", {"staged"},
                {"copies",
                 "which caches copies to shared memory pass",
                 {{"past_l1", "L2 alone (cp.async.cg)"}},
                 "L1 hit rate"}),
      {"tiles_ahead", "tiles loaded into registers ahead of their products", {{"1"}}, "bytes in flight"},
      {"softmax",
       "when outputs of the selection are rescaled",
       {{"running", "at every tile, by the running maximum"}, {"lazy", "where the maximum has grown much"}},
       "instructions per score, down"},
      {"warps", "of a block of the selection", {{"4"}, {"8"}}},
      {"grid",
       "order of the selection's blocks",
       {{"by_head", "all tiles of a head after one another"}},
       "L2 hit rate, up"},
      {"gate",
       "where compression and selection are weighted and added",
       {{"kernel", "in a separate kernel"}, {"epilogue", "in the selection's epilogue"}},
       "DRAM bytes, down by a pass over O"},
      {"branches",
       "order of compression and selection, a few heads at a time",
       {{"two_streams", "on two streams: selection of some heads beside compression of the next"},
        {"one_stream", "on one stream, one after the other"}},
       "time, to that of the longer branch"},
      only_with("branches", {"one_stream", "two_streams"},
                {"heads_per_stream", "heads of a turn of compression and selection", {{"2"}, {"4"}, {"8"}}}),
  };
}

inline std::vector<switch_facts> switches_of_gated_attention() {
  std::vector<switch_facts> all =
      switches_of_layer({{"two_pass", "compression's scores go to memory; a kernel selects from them"},
                         {"given", "not at all: lists are inputs"}},
                        {{"union", "8 query tiles stage each block in the union of their lists once"}});
  const std::vector<switch_facts> more = {
      only_with("choice", {"threshold"},
                {"search",
                 "when scores are compared with a list's lowest, if not between the products",
                 {{"while_multiplying", "while outputs of compression are multiplied"}},
                 "tensor pipe activity, up"}),
      {"forced",
       "who attends to the first frame's blocks where all queries do",
       {{"dense_core", "the dense core, merged by log-sum-exp; otherwise the selection"}},
       "tensor pipe activity, up; launches, up by one"},
      {"pdl",
       "whether a part starts while the one before still runs: programmatic dependent launch",
       {{"on", "it does"}},
       "idle time between kernels, down"},
  };
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace ablate::gated_attention
