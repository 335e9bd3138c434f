#include <bit>

#include "kernels/common/cub_memory.h"
#include "kernels/common/memory_cutter.h"
#include "kernels/list_transpose/list_transpose.h"

namespace ablate::list_transpose {

count_memory cut_count_memory(const problem& p, std::size_t* bytes) {
  memory_cutter cutter{static_cast<std::byte*>(p.count_memory)};
  count_memory memory{};
  cutter.cut(memory.counts, p.rows() + 1);
  cutter.cut(memory.ranks, p.entries());
  cutter.cut(memory.long_rows, p.entries() / longest_short_row + 1);
  cutter.cut(memory.long_count, 1);
  cutter.cut(memory.first_of_head, p.heads + 1);
  memory.temporary_bytes = cub_memory_bytes(p.rows() + 1);
  cutter.cut(memory.temporary, static_cast<std::int64_t>(memory.temporary_bytes));
  if (bytes) *bytes = cutter.used;
  return memory;
}

std::size_t count_memory_bytes(const problem& p) { return bytes_cut(cut_count_memory, p); }

sort_memory cut_sort_memory(const problem& p, std::size_t* bytes) {
  memory_cutter cutter{static_cast<std::byte*>(p.sort_memory)};
  sort_memory memory{};
  for (std::uint64_t*& words : memory.words) cutter.cut(words, p.entries());
  // Where cub is given no second buffers, it takes as much as both again.
  memory.temporary_bytes = cub_memory_bytes(p.entries()) + 8 * static_cast<std::size_t>(p.entries());
  cutter.cut(memory.temporary, static_cast<std::int64_t>(memory.temporary_bytes));
  if (bytes) *bytes = cutter.used;
  return memory;
}

std::size_t sort_memory_bytes(const problem& p) { return bytes_cut(cut_sort_memory, p); }

word_bits::word_bits(const problem& p)
    : key(std::bit_width(static_cast<std::uint64_t>(p.blocks))),
      query(std::bit_width(static_cast<std::uint64_t>(p.blocks - 1))) {}

}  // namespace ablate::list_transpose
