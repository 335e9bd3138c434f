// Insertion (docs/operations/hash_insert.md). One thread per row: starting at the slot its key hashes to, the
// key goes into the first empty slot by compare-and-swap; a slot that holds the same key ends the insertion
// as a duplicate. Once all slots have been probed, the status reports a full table. The row is stored after
// the claim, without synchronization: no thread reads rows before the next launch. Policies: `cas_first`
// sends a compare-and-swap to every slot probed; `load_first` reads a slot first and sends one only if it is
// empty; `warp_deduplicated` lets the lowest of the lanes with the same key insert for all of them (of equal
// rows in a warp, the lowest lane's wins, which is the smallest).
#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/hash_table/table.cuh"

namespace ablate::hash_table {

enum class insertion { cas_first, load_first, warp_deduplicated };

constexpr int table_threads = 256;

/// Inserts a key, probing from `v` on, and calls `settle(slot, mine)` on the slot where it ends up: one that
/// it has just claimed (`mine`), or that already held it. `found`: the result of probing the first slot, or
/// slot_unseen. False if all slots hold other keys.
template <insertion Policy, bool Instrumented, class Table, class Settle>
__device__ bool insert_key(Table& into, typename Table::visit v, int found, tally<Instrumented>& events,
                           unsigned long long* all_events, Settle settle) {
  const unsigned first = v.slot;
  do {
    if (found == slot_unseen) found = Policy == insertion::cas_first ? slot_empty : into.peek(v);
    if (found == slot_empty) {
      found = into.claim(v);
      events.add(atomics);
    }
    if (found != slot_other) {
      settle(v.slot, found == slot_mine);
      count_visit<typename Table::layout, typename Table::sequence>(events, found == slot_same, first,
                                                                    v.looked + 1, all_events);
      return true;
    }
    found = slot_unseen;
  } while (into.next(v));
  return false;
}

/// The same for a row, storing its number in the slot.
template <insertion Policy, bool Instrumented, class Table>
__device__ bool insert_row(Table& into, typename Table::visit v, int row, int found,
                           tally<Instrumented>& events, unsigned long long* all_events) {
  return insert_key<Policy>(into, v, found, events, all_events,
                            [&](unsigned slot, bool mine) { into.settle(slot, row, mine, events); });
}

template <class Table, insertion Policy, int InFlight, bool Instrumented>
__global__ __launch_bounds__(table_threads) void insert_rows(Table into, const coordinate* rows,
                                                             long long count, int* status,
                                                             unsigned long long* all_events) {
  tally<Instrumented> events;
  const long long first = static_cast<long long>(blockIdx.x) * (table_threads * InFlight) + threadIdx.x;
  typename Table::visit way[InFlight];
  int found[InFlight];
  bool mine[InFlight];
#pragma unroll
  for (int k = 0; k < InFlight; ++k) {
    const long long row = first + k * table_threads;
    mine[k] = row < count;
    coordinate c{};
    if (mine[k]) c = rows[row];
    if constexpr (Policy == insertion::warp_deduplicated) {
      // No key is 0, so the lanes past the end form a group of their own.
      const unsigned same = __match_any_sync(~0u, mine[k] ? static_cast<unsigned long long>(pack(c)) : 0ull);
      mine[k] = mine[k] && threadIdx.x % 32 == static_cast<unsigned>(__ffs(same)) - 1;
    }
    way[k] = into.start(c, static_cast<int>(row));
    found[k] = slot_unseen;
  }
  if constexpr (InFlight > 1) {
#pragma unroll
    for (int k = 0; k < InFlight; ++k)
      if (mine[k]) found[k] = into.peek(way[k]);
  }
#pragma unroll
  for (int k = 0; k < InFlight; ++k)
    if (mine[k] && !insert_row<Policy>(into, way[k], static_cast<int>(first + k * table_threads), found[k],
                                       events, all_events))
      atomicMax(status, static_cast<int>(status_full));
  events.write(all_events);
}

}  // namespace ablate::hash_table
