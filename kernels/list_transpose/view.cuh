#pragma once

#include <bit>

#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/list_transpose/launches.h"
#include "kernels/list_transpose/list_transpose.h"

namespace ablate::list_transpose {

constexpr int entry_threads = 256;

/// The problem as passed to a kernel.
struct view {
  const std::int32_t* table;
  long long* offsets;
  std::int32_t* queries;
  long long rows, entries;
  int heads, blocks, selected, lowest;
  int log2_selected;

  explicit view(const problem& p)
      : table(p.table),
        offsets(reinterpret_cast<long long*>(p.offsets)),
        queries(p.queries),
        rows(p.rows()),
        entries(p.entries()),
        heads(static_cast<int>(p.heads)),
        blocks(static_cast<int>(p.blocks)),
        selected(p.selected),
        lowest(static_cast<int>(p.lowest)),
        log2_selected(std::countr_zero(static_cast<unsigned>(p.selected))) {}

  /// A thread an entry.
  unsigned grid(long long threads) const { return blocks_for(threads, entry_threads); }
};

/// An entry of a list: whose it is and what it names.
struct list_entry {
  int head, query, key;
  bool is_there;

  __device__ list_entry(const view& v, long long index) {
    const auto list = static_cast<unsigned>(index >> v.log2_selected);
    head = static_cast<int>(list / static_cast<unsigned>(v.blocks));
    query = static_cast<int>(list % static_cast<unsigned>(v.blocks));
    key = __ldg(v.table + index);
    is_there = is_taken(key, v.lowest, v.blocks);
  }
  __device__ long long row(const view& v) const { return static_cast<long long>(head) * v.blocks + key; }
};

/// Where rows begin, from entries in the order of their rows: the entry at `place`, of row `row`, after one
/// of row `row_before` (−1: none), begins its own row and all empty ones between the two, unless they are
/// `end` or behind it. A thread calls it for each entry, and one for the place behind the last.
__device__ inline void mark_beginnings(long long* offsets, long long row_before, long long row, long long end,
                                       long long place) {
  for (long long r = row_before + 1; r <= row && r < end; ++r) offsets[r] = place;
}

/// offsets from the number of each row's entries: `counts` [rows + 1], the last 0 (count.cu).
void sum_counts(launcher&, const problem&);

/// Makes each row ascend (sort_rows.cu): short ones by ranks and long ones by bitmaps, or all by bitmaps.
void sort_rows(launcher&, const problem&);
void sort_rows_by_bitmaps(launcher&, const problem&);

/// offsets from the table, by one block of threads a head (count_by_head.cu).
void count_by_head(launcher&, const problem&);

}  // namespace ablate::list_transpose
