// What can be chosen about the kernel that attends to all rows (cores.h).
#pragma once

#include <vector>

#include "harness/registry/operation.h"

namespace ablate::global_attention {

/// Of a core by warpgroup MMAs.
inline std::vector<switch_range> ranges_of_groups() { return {{"groups", {"2", "3"}}}; }

inline std::vector<switch_facts> switches_of_cores() {
  return {
      {"core",
       "which instructions multiply",
       {{"mma", "mma.sync"}, {"hopper", "wgmma, operands by TMA"}},
       "tensor pipe activity, up with wgmma"},
      {"groups",
       "warpgroups of a block, 64 queries each",
       {{"by_rows", "3, or 2 where that leaves fewer than 4 query tiles per SM"}, {"2"}, {"3"}},
       "L2 bytes, down by a third from 2 to 3; idle SMs in the last wave, up"},
      {"first_keys", "which keys a query tile meets first", {{"lowest", "those of the first tile"}}},
  };
}

}  // namespace ablate::global_attention
