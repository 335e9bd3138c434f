#pragma once

#include "harness/registry/operation.h"

// Switches that operations of global attention share (kernels/global_attention/forms.h).

namespace ablate::global_attention {

inline switch_facts core_switch() {
  return {"core",
          "instructions that multiply",
          {{"mma", "mma.sync, on every GPU from sm_80"},
           {"hopper", "warpgroup MMAs (wgmma) with TMA and warp specialization"}},
          "tensor pipe activity",
          "FlashAttention-2, arXiv 2307.08691; FlashAttention-3, arXiv 2407.08608"};
}

/// With the numbers that an operation's variants have or take.
inline switch_facts groups_switch(std::vector<switch_value> numbers = {}) {
  numbers.insert(numbers.begin(), {"by_rows", "three where there are tiles enough for all SMs, else two"});
  return only_with("core", {"hopper"},
                   {"groups", "warpgroups of 64 queries in a block of attention among rows", numbers,
                    "L2 reads of keys, down; idle SMs in the last round, up"});
}

inline switch_value keys_from_the_first() { return {"lowest", "from the first on"}; }
inline switch_value keys_near_the_queries() { return {"near", "from those near the queries on"}; }
inline switch_facts first_keys_switch(std::vector<switch_value> values) {
  return only_with("core", {"hopper"},
                   {"first_keys", "where a tile of queries begins with the keys", std::move(values),
                    "candidates per row, down"});
}

inline switch_value in_two_passes() {
  return {"two_pass", "in a pass of its own: seven products, no atomics, deterministic"};
}
inline switch_value by_reductions() { return {"reductions", "by reductions out of registers to fp32 sums"}; }
inline switch_value by_bulk_copies() { return {"bulk", "by bulk copies that add to fp32 sums"}; }
inline switch_facts dq_switch(std::vector<switch_value> values) {
  return {"dq", "how dQ of attention among all rows is summed over blocks of keys", std::move(values),
          "tensor instructions, to 5/7 in one pass; L2 reductions, up",
          "FlashAttention-2, arXiv 2307.08691, section 3.1.2"};
}

inline switch_facts descent_switch(std::vector<switch_value> values) {
  return {"descent", "how the search for a row's lowest kept score narrows", std::move(values),
          "passes over a row's scores"};
}
inline switch_value by_histogram() { return {"histogram", "by a histogram of the next bits of all scores"}; }

}  // namespace ablate::global_attention
