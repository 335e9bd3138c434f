// What can be chosen about gradients of attention inside windows
// (docs/operations/window_attention_backward.md).
#pragma once

#include "variants/window_attention/switches.h"

namespace ablate::window_attention_backward {

inline std::vector<switch_facts> switches_of_window_attention_backward() {
  using namespace window_attention;
  std::vector<switch_facts> all = {
      {"core",
       "instructions that multiply",
       {core_of_mma(), core_of_hopper()},
       "tensor pipe activity",
       "FlashAttention-2, arXiv 2307.08691; FlashAttention-3, arXiv 2407.08608"},
      {"dq",
       "how dQ is summed over blocks of keys",
       {{"two_pass", "in a kernel of its own: seven products, no atomics, deterministic"},
        {"atomics", "by atomic reductions of one float to fp32 sums"},
        {"reductions", "by vector reductions out of registers to fp32 sums"},
        {"bulk", "by bulk copies out of shared memory that add to fp32 sums"},
        {"split_kv", "in a buffer for each 128 keys, added in order: deterministic"},
        {"window_per_cta", "by the one block that has all keys of a window's head: deterministic"},
        {"per_shape_best", "bulk, reductions or window_per_cta, by head width and window"}},
       "tensor instructions, to 5/7 in one pass; L2 reductions, up",
       "FlashAttention-2, arXiv 2307.08691, section 3.1.2"},
      only_with("core", {"hopper"},
                {"groups",
                 "warpgroups of a block for heads of 16, if not one pair",
                 {{"paired", "two pairs, 128 keys each, that never wait for each other"},
                  {"private", "four that never wait for each other, 64 keys each"}},
                 "issue slots in use, up; L2 reductions, twice for private groups"}),
      only_with("core", {"hopper"},
                {"persistent",
                 "whether a block takes blocks of keys in turn and copies the next during these",
                 {{"on", "it does, one block per SM; otherwise one block of keys per block"}},
                 "tensor pipe activity, up in short windows"}),
      only_with("dq", {"window_per_cta"},
                {"delta",
                 "when delta, the row sums of O·dO, is computed",
                 {{"inline", "by idle warps, for the block's next window; otherwise by a kernel before"}},
                 "launches, to one; DRAM reads of dO, to one"}),
      {"rounding",
       "who rounds dQ from fp32 sums to bf16",
       {{"last_block", "the last block to add to a tile, out of L2; otherwise a kernel behind"}},
       "launches, down by two; DRAM bytes, down by dQ in fp32 written and read"},
  };
  const std::vector<switch_facts> rows = switches_of_rows({}, {});
  all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

}  // namespace ablate::window_attention_backward
