// What can be chosen about dense attention inside windows (docs/operations/window_attention.md).
#pragma once

#include "harness/registry/operation.h"

namespace ablate::window_attention {

/// Where rows come from, forward and backward; an operation adds its own values.
inline std::vector<switch_facts> switches_of_rows(std::vector<switch_value> rows,
                                                  std::vector<switch_value> copies) {
  rows.insert(rows.begin(), {{"bucket_table", "a table entry per bucket of rows"},
                             {"contiguous", "their numbers are computed, without a table"}});
  copies.insert(copies.begin(),
                {{"gathered", "into window order before the core, and back behind it, as in PTv3"},
                 {"sorted", "into window order once for many layers, ahead of the region"}});
  return {
      {"rows", "how the core finds a window's rows", rows, "loads of table entries, to none if computed",
       "Flash3D, arXiv 2412.16481, supplement 10.3"},
      {"copies", "where rows are moved outside of the core, if at all", copies,
       "L2 and DRAM bytes, by every tensor read and written",
       "Point Transformer V3, arXiv 2312.10035, section 4.2"},
      only_with("copies", {"gathered"},
                only_with("rows", {"index"},
                          {"index",
                           "type of the rows' index",
                           {{"int32", "4 bytes"}, {"int64", "8 bytes"}},
                           "bytes of the index"})),
      only_with("copies", {"gathered"},
                {"vector",
                 "bytes that a thread moves at once when rows are gathered",
                 {{"2B", "one element"}, {"16B", "16 bytes, four in flight"}},
                 "load and store instructions, to an eighth"}),
      {"launches",
       "kernels that gather rows before the core, and back behind it",
       {{"per_tensor", "one for each tensor, as in PTv3's framework"},
        {"joined", "one before and one behind"}},
       "launches; idle time between kernels, down"},
  };
}

inline switch_value core_of_mma() { return {"mma", "mma.sync, 32 queries per warp"}; }
inline switch_value core_of_hopper() {
  return {"hopper", "warpgroup MMAs (wgmma) with TMA and warp specialization"};
}

/// How the core multiplies.
inline std::vector<switch_facts> switches_of_core() {
  return {
      {"core",
       "instructions and shape of the core",
       {core_of_hopper(),
        {"hopper_warp", "mma.sync with TMA, 32 queries per warp, warps that never wait for each other"},
        core_of_mma(),
        {"mma_published", "mma.sync, a block that streams all keys again for every query block"}},
       "tensor pipe activity",
       "FlashAttention-2, arXiv 2307.08691, section 3.1; FlashAttention-3, arXiv 2407.08608, section 3"},
      only_with("core", {"hopper"},
                {"groups",
                 "warpgroups of 64 queries in a block",
                 {{"all", "4 for heads of 16 and 32, 3 for 64, 2 for 128"},
                  {"by_window", "all, but 2 for heads of 64 in windows under 2048"},
                  {"one", "one"},
                  {"two", "two"}},
                 "barrier stalls, down"}),
      only_with("core", {"hopper"},
                {"stages",
                 "stages of the ring of keys and values in shared memory",
                 {{"all", "4 for heads of 16 and 32, 3 for 64, 2 for 128"},
                  {"by_window", "all, but 5 for heads of 64 in windows under 2048"},
                  {"one", "one: every copy is waited for"}},
                 "stalls on copies, down"}),
      only_with(
          "core", {"mma", "mma_published"},
          {"buffers",
           "tiles of keys and values that shared memory holds",
           {{"1", "one: every copy is waited for"}, {"2", "two: one is copied while one is multiplied"}},
           "stalls on copies, down"}),
      only_with("core", {"hopper"},
                {"overlap",
                 "whether the next scores are multiplied during the softmax of these",
                 {{"wide", "for heads of 64 and 128"}, {"off", "every product is waited for"}},
                 "stalls on MMAs, down",
                 "FlashAttention-3, arXiv 2407.08608, section 3.2"}),
      only_with("core", {"hopper"},
                {"pingpong",
                 "whether warpgroups take turns: one multiplies while others compute their softmax",
                 {{"off", "they do not"}, {"wide", "for heads of 64 and 128"}, {"on", "they do"}},
                 "tensor pipe activity, up",
                 "FlashAttention-3, arXiv 2407.08608, section 3.1"}),
      only_with("core", {"hopper"},
                {"persistent",
                 "whether a block takes query tiles in turn and prefetches the next queries",
                 {{"on", "it does, one block per SM"}, {"off", "one query tile per block"}},
                 "stalls on the first queries, down"}),
      only_with("core", {"hopper"},
                {"cross_tile_overlap",
                 "whether products overlap the softmax from one query tile to the next",
                 {{"on", "they do"}, {"off", "within a tile only"}},
                 "tensor pipe activity, up"}),
      {"tiles",
       "queries of a tile, for heads of 16",
       {{"wave_fit", "192 in place of 256 where rounds of these take less time"},
        {"wave_fit_overlapped", "wave_fit; tiles of 192 also overlap products and softmax"}},
       "SM active in the last round, up"},
      only_with("core", {"mma_published"},
                {"grid",
                 "query blocks of a thread block",
                 {{"windows", "all of a window and head"}, {"query_blocks", "one"}},
                 "active SMs, up; keys read again from L2"}),
      only_with("core", {"mma_published"},
                {"smem_request",
                 "shared memory that a block asks for",
                 {{"max", "all that it can get, as published"}, {"needed", "what it uses"}},
                 "occupancy, up where only what is needed is asked for"}),
      {"pdl",
       "whether a kernel starts while the one before still runs: programmatic dependent launch",
       {{"on", "it does"}},
       "idle time between kernels, down"},
  };
}

inline std::vector<switch_facts> switches_of_softmax() {
  return {
      {"softmax",
       "what is subtracted from scores",
       {{"online", "the running maximum"},
        {"bounded", "nothing, where norms of queries and keys bound the scores"},
        {"fixed_max", "the first keys' maximum; query tiles that overflow are redone"}},
       "instructions per score, down",
       "online: arXiv 1805.02867, section 3"},
      only_with("softmax", {"fixed_max"},
                {"retry",
                 "who redoes query tiles that overflow",
                 {{"inline", "the block that had them; otherwise launches of their own, by a list"}},
                 "launches, down by two"}),
      {"exp2",
       "where powers of 2 are computed; numbers are of 16",
       {{"hardware", "on the special function unit"},
        {"poly_2of16", "2 by a polynomial on the FMA pipe"},
        {"poly_2of16_narrow", "2 by a polynomial, for heads of 16 and 32"},
        {"poly_4of16_narrow", "4 by a polynomial, for heads of 16 and 32"},
        {"bf16x2_4of16", "4 in pairs in 16-bit arithmetic"},
        {"bf16x2_6of16", "6 in pairs in 16-bit arithmetic"}},
       "XU pipe, down; FMA pipe, up"},
      only_with("core", {"hopper"},
                {"sums",
                 "how the probabilities of a row are summed",
                 {{"threads", "by threads, then shuffles"},
                  {"product", "by a product with ones"},
                  {"product_narrow", "by a product with ones, for heads of 16 and 32"}},
                 "instructions per score, down"}),
      only_with("core", {"mma", "mma_published"},
                {"normalize",
                 "when outputs are divided by the sum of probabilities",
                 {{"at_end", "once, at the end"},
                  {"per_tile", "at each tile of keys"},
                  {"per_step", "every 16 keys, as published"}},
                 "instructions per score, down"}),
      only_with("core", {"mma", "mma_published"},
                {"exponential",
                 "function of the exponentials",
                 {{"exp2", "ex2.approx, with log2(e) folded into the scale, in fp32"},
                  {"__expf", "__expf: one more multiplication per score"},
                  {"expf", "expf of scores whose queries were scaled and rounded to bf16, as published"}},
                 "instructions per score, down; error of the outputs, down"}),
  };
}

inline std::vector<switch_facts> switches_of_window_attention() {
  std::vector<switch_facts> all = switches_of_core();
  for (const auto& more :
       {switches_of_softmax(), switches_of_rows({{"index", "the core's loads and stores follow an index"}},
                                                {{"split_qkv", "packed Q, K and V into three tensors"}})})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace ablate::window_attention
