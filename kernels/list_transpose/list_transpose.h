#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/on_both.h"

namespace ablate::list_transpose {

/// Lists of key blocks turned around (docs/operations/list_transpose.md; Speed3R's code): each (head,
/// query block) names key blocks, and the gradients of a key block's keys and values are sums over the query
/// blocks that name it. Row head · blocks + key block of the result, in compressed form, is the query blocks
/// whose list has that key block: queries[offsets[row] … offsets[row + 1]).
///
/// Entries outside of `lowest` … blocks − 1 (−1: no block) are skipped wherever they are. No list names a
/// block twice. Everything past the last row's end is left as it was.
///
/// The result stays on the device and no launch depends on it, so nothing waits for the host: whatever comes
/// next takes the number of entries from offsets[rows()].

enum class row_order {
  ascending,  ///< query blocks ascend: the same bits each time
  any
};

struct problem {
  std::int64_t heads = 1, blocks = 0;  ///< blocks of a head, of queries and of keys
  int selected = 32;                   ///< entries of a list: a power of two, at most 64
  std::int64_t lowest = 0;             ///< key block that an entry may name
  row_order order = row_order::ascending;

  const std::int32_t* table = nullptr;  ///< [heads][blocks][selected]: key blocks
  std::int64_t* offsets = nullptr;      ///< [rows() + 1]
  std::int32_t* queries = nullptr;      ///< [entries()]: query blocks, without their head

  void* count_memory = nullptr;  ///< count_memory_bytes(problem)
  void* sort_memory = nullptr;   ///< sort_memory_bytes(problem); the variants that count alone need none

  ABLATE_ON_BOTH std::int64_t rows() const { return heads * blocks; }
  /// Entries of all lists, those that are skipped among them.
  ABLATE_ON_BOTH std::int64_t entries() const { return rows() * selected; }
};

/// Memory of the variants that count.
struct count_memory {
  std::uint32_t* counts;     ///< [rows + 1]: of a row's entries; of the last, none
  std::uint32_t* ranks;      ///< [entries]: of an entry in its row
  std::uint32_t* long_rows;  ///< [entries / longest_short_row + 1]: rows that a warp does not sort
  std::uint32_t* long_count;
  std::int64_t* first_of_head;  ///< [heads + 1]: entries of all heads before it
  std::byte* temporary;         ///< of cub's scan
  std::size_t temporary_bytes;
};
count_memory cut_count_memory(const problem&, std::size_t* bytes = nullptr);
std::size_t count_memory_bytes(const problem&);

/// Rows of at most so many entries are sorted by a warp.
constexpr int longest_short_row = 128;

/// Memory of the variants that sort: two arrays of words, 8 bytes an entry each.
struct sort_memory {
  std::uint64_t* words[2];
  std::byte* temporary;  ///< of cub's sort
  std::size_t temporary_bytes;
};
sort_memory cut_sort_memory(const problem&, std::size_t* bytes = nullptr);
std::size_t sort_memory_bytes(const problem&);

/// Bits of a word that hold the key block, or that there is none, and the query block of one head.
struct word_bits {
  int key, query;
  explicit word_bits(const problem&);
};

/// Whether an entry of a list is taken.
ABLATE_ON_BOTH inline bool is_taken(std::int64_t entry, std::int64_t lowest, std::int64_t blocks) {
  return entry >= lowest && entry < blocks;
}

}  // namespace ablate::list_transpose
