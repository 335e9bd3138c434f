// Insertion (specification: packed_hash §1.4). One thread a row: from the slot to which its key hashes, the
// row's key is put into the first empty one by compare-and-swap; a slot that holds the same key ends the way
// as a duplicate. After as many slots as there are, the status says that the table is full. The row is stored
// behind the claim without further ado: nobody reads rows before the next launch. Policies: `cas_first` sends
// a compare-and-swap to every slot on the way; `load_first` reads a slot first and sends one only where it is
// empty; `warp_deduplicated` lets the lowest lane of those with one key insert for all of them (of rows that
// one warp holds, the lowest lane's row wins, which is the smallest).
#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/hash_table/table.cuh"

namespace ablate::hash_table {

enum class insertion { cas_first, load_first, warp_deduplicated };

constexpr int table_threads = 256;

/// Puts a key in from slot `v` on, and calls `settle(slot, mine)` where it ends: in a slot that it has just
/// claimed, or where it stood already. `found`: what has been seen in the first slot, or slot_unseen. False
/// once all slots hold other keys.
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

/// Puts a row in likewise, its number into the slot.
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
      // 0 is no key, so the lanes past the end have a group of their own.
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
