#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/registry/axis.h"
#include "kernels/selection_attention/selection_attention.h"
#include "oracles/selection_attention/generated_lists.h"
#include "variants/image_blocks.h"

// What operations on made lists of key blocks have in common: the axes that say what the lists are like.

namespace ablate {

inline axis length_of_lists_axis() {
  return axis::of_integers("selected", 1, selection_attention::max_selected, 32,
                           "key blocks in the list of a query block: a power of two");
}
inline axis order_of_entries_axis() {
  return axis::of_words("entries", {"by_index", "by_score"},
                        "order of a list's entries: ascending, or any, as scores have it");
}
inline axis fullness_axis() {
  return axis::of_words("lists", {"full", "short"},
                        "every entry is a block; or about half of them, and none in one list of 16");
}

constexpr word_table<selection_attention::popularity, 3> popularity_words = {
    {{"even", selection_attention::popularity::even},
     {"skewed", selection_attention::popularity::skewed},
     {"hubs", selection_attention::popularity::hubs}}};

inline axis popularity_axis() {
  return axis_of("popularity", popularity_words,
                 "how often key blocks are named: any as often as any other; by a power law; or a few by "
                 "half of all lists");
}

/// Why lists cannot be so long, if they cannot.
inline std::optional<std::string> refuses_length_of_lists(const axis_values& at) {
  const long selected = at.integer("selected");
  if (std::has_single_bit(static_cast<unsigned long>(selected))) return std::nullopt;
  return fmt::format("selected={}: expected a power of two", selected);
}

/// Lists of these axes; each may name any block.
inline selection_attention::generated_lists lists_at(const axis_values& at, std::int64_t blocks,
                                                     std::uint64_t seed) {
  return {.seed = seed,
          .blocks = blocks,
          .selected = static_cast<int>(at.integer("selected")),
          .by_index = at.word("entries") == "by_index",
          .popular = meaning_of(popularity_words, at.word("popularity")),
          .is_short = at.word("lists") == "short"};
}

/// The lists of all heads, as they are in memory.
inline std::vector<std::int32_t> table_of(const selection_attention::generated_lists& lists,
                                          std::int64_t heads) {
  std::vector<std::int32_t> table;
  table.reserve(static_cast<std::size_t>(heads * lists.blocks * lists.selected));
  for (std::int64_t head = 0; head < heads; ++head)
    for (std::int64_t block = 0; block < lists.blocks; ++block)
      for (int slot = 0; slot < lists.selected; ++slot) table.push_back(lists.block(head, block, slot));
  return table;
}

}  // namespace ablate
