#pragma once

#include <cstdint>

#include "kernels/common/mixed.h"
#include "kernels/common/on_both.h"

namespace ablate::selection_attention {

/// Neighboring query blocks that have entries in common.
constexpr std::int64_t sharing_blocks = 8;

/// How often lists name a block.
enum class popularity {
  even,    ///< any as often as any other
  skewed,  ///< of each part of the key blocks the first ones: a block's share falls with its place, to the
           ///< power of 2/3
  hubs     ///< every eighth part has one block that half of all lists name
};

/// Lists of key blocks instead of a top-k's, made entry by entry where they are needed, the same on host
/// and device. The key blocks from `lowest` on are cut into as many parts as a list has entries, and an entry
/// is any block of its part: so no block is twice in a list, and where lists go is as random as caches care.
/// Of each 16 entries, `shared` are the same for 8 neighboring query blocks.
struct generated_lists {
  std::uint64_t seed = 1;
  std::int64_t blocks = 0;  ///< of keys, and of queries
  std::int64_t lowest = 0;  ///< key block that an entry may name
  int selected = 0;         ///< entries of a list: a power of two
  int shared = 0;           ///< of 16
  bool by_index = false;    ///< entries ascend; otherwise they come in the order of scores, that is in any
  popularity popular = popularity::even;
  bool is_short = false;  ///< about half of the entries is no block, and all are of one list in 16

  /// Entry `slot` of a query block's list, or −1.
  ABLATE_ON_BOTH std::int32_t block(std::int64_t head, std::int64_t query_block, int slot) const {
    const std::uint64_t list = static_cast<std::uint64_t>(head * blocks + query_block);
    if (is_short && (query_block % 16 == 5 || drawn(list, slot, 2) % 2 == 0)) return -1;
    const int part = by_index ? slot
                              : static_cast<int>((static_cast<std::uint64_t>(slot) * 37 + drawn(list, 0, 1)) %
                                                 static_cast<std::uint64_t>(selected));
    const std::int64_t all = blocks - lowest;
    const std::int64_t first = lowest + part * all / selected, end = lowest + (part + 1) * all / selected;
    if (first == end) return -1;
    const bool is_shared = (part * 7 + 3) % 16 < shared;
    const std::uint64_t whose =
        is_shared ? ~static_cast<std::uint64_t>(head * blocks + query_block / sharing_blocks) : list;
    return static_cast<std::int32_t>(
        first + static_cast<std::int64_t>(place(whose, part, static_cast<std::uint64_t>(end - first))));
  }

 private:
  /// A block among those of a part.
  ABLATE_ON_BOTH std::uint64_t place(std::uint64_t whose, int part, std::uint64_t blocks_of_part) const {
    const std::uint64_t any = drawn(whose, part, 0);
    if (popular == popularity::skewed) {
      const std::uint64_t x = any >> 32;
      return ((x * x >> 32) * x >> 32) * blocks_of_part >> 32;
    }
    if (popular == popularity::hubs && part % 8 == 0 && drawn(whose, part, 3) % 2 == 0) return 0;
    return any % blocks_of_part;
  }
  ABLATE_ON_BOTH std::uint64_t drawn(std::uint64_t list, int entry, std::uint64_t which) const {
    return mixed(mixed(seed * 3 + which) + list * 64 + static_cast<std::uint64_t>(entry));
  }
};

}  // namespace ablate::selection_attention
