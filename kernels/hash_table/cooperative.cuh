// Cooperative probing: the lanes of a tile probe one neighboring slot each and decide by ballot. Search: the
// lane that sees the key has the answer; otherwise an empty slot anywhere in the window means a miss. Matches
// are tested first: a key is never past an empty slot of its own probe sequence, but other keys may be.
// Insertion: done if any lane sees the key; otherwise the first empty slot is claimed, and the window is
// probed again if another row got there first. Windows are contiguous, so these tables use linear probing.
// Should move: sectors per request, up (a window of 32 keys is 8 sectors or more); dependent reads in a row,
// down when the table is nearly full.
#pragma once

#include <cooperative_groups.h>

#include "kernels/hash_table/search.cuh"

namespace ablate::hash_table {

template <int Lanes>
using tile = cooperative_groups::thread_block_tile<Lanes>;

template <int Lanes>
__device__ tile<Lanes> my_tile() {
  return cooperative_groups::tiled_partition<Lanes>(cooperative_groups::this_thread_block());
}

/// Counts an operation's windows, on one lane.
template <bool Instrumented>
__device__ void count_windows(tally<Instrumented>& events, bool leads, bool hit, unsigned windows,
                              unsigned sectors_per_window, unsigned long long* all_events) {
  if (leads) count_operation(events, hit, windows, windows * sectors_per_window, all_events);
}

/// Sectors of a window that starts at an arbitrary slot: the average, rounded up.
template <class Table, int Lanes>
constexpr unsigned sectors_per_window = Lanes / Table::layout::keys_per_sector + 1;

template <class Table, int Lanes, bool Instrumented>
__global__ __launch_bounds__(table_threads) void search_by_tiles(const Table in, const coordinate* queries,
                                                                 long long count, bool guards, int* found,
                                                                 unsigned long long* all_events) {
  tally<Instrumented> events;
  const tile<Lanes> lanes = my_tile<Lanes>();
  const long long query =
      static_cast<long long>(blockIdx.x) * (table_threads / Lanes) + lanes.meta_group_rank();
  if (query >= count) return;
  coordinate c = queries[query];
  int answer = slot_empty;
  unsigned windows = 0;
  if (admissible(c, guards)) {
    auto way = in.start(c);
    way.slot = (way.slot + lanes.thread_rank()) & in.mask();
    for (unsigned long long looked = 0; looked <= in.mask(); looked += Lanes) {
      ++windows;
      const int row = in.look(way);
      const unsigned equal_lanes = lanes.ballot(row >= 0), empty_lanes = lanes.ballot(row == slot_empty);
      if (equal_lanes != 0) {
        answer = lanes.shfl(row, __ffs(equal_lanes) - 1);
        break;
      }
      if (empty_lanes != 0) break;
      way.slot = (way.slot + Lanes) & in.mask();
    }
  }
  if (lanes.thread_rank() == 0) found[query] = answer;
  count_windows(events, lanes.thread_rank() == 0, answer >= 0, windows, sectors_per_window<Table, Lanes>,
                all_events);
  events.write(all_events);
}

/// Inserts a row by all lanes of a tile, and calls count(same, windows, slot) once it has its slot; `same`:
/// the slot held its key. False if all slots hold other keys.
template <int Lanes, class Table, bool Instrumented, class Count>
__device__ bool insert_by_tile(Table& into, const tile<Lanes>& lanes, const coordinate& c, int row,
                               tally<Instrumented>& events, Count count) {
  auto way = into.start(c, row);
  way.slot = (way.slot + lanes.thread_rank()) & into.mask();
  unsigned windows = 0;
  for (unsigned long long looked = 0; looked <= into.mask();) {
    ++windows;
    const int seen = into.peek(way);
    const unsigned same = lanes.ballot(seen == slot_same), empty_lanes = lanes.ballot(seen == slot_empty);
    if (same != 0) {
      const int lane = __ffs(same) - 1;
      if (static_cast<int>(lanes.thread_rank()) == lane) into.settle(way.slot, row, false, events);
      count(true, windows, lanes.shfl(way.slot, lane));
      return true;
    }
    if (empty_lanes != 0) {
      const int lane = __ffs(empty_lanes) - 1;
      int claimed = slot_other;
      if (static_cast<int>(lanes.thread_rank()) == lane) {
        claimed = into.claim(way);
        events.add(atomics);
        if (claimed != slot_other) into.settle(way.slot, row, claimed == slot_mine, events);
      }
      claimed = lanes.shfl(claimed, lane);
      if (claimed == slot_other) continue;  // another row got there first: probe the same window again
      count(claimed == slot_same, windows, lanes.shfl(way.slot, lane));
      return true;
    }
    way.slot = (way.slot + Lanes) & into.mask();
    looked += Lanes;
  }
  return false;
}

template <class Table, int Lanes, bool Instrumented>
__global__ __launch_bounds__(table_threads) void insert_by_tiles(Table into, const coordinate* rows,
                                                                 long long count, int* status,
                                                                 unsigned long long* all_events) {
  tally<Instrumented> events;
  const tile<Lanes> lanes = my_tile<Lanes>();
  const long long row =
      static_cast<long long>(blockIdx.x) * (table_threads / Lanes) + lanes.meta_group_rank();
  if (row >= count) return;
  const bool leads = lanes.thread_rank() == 0;
  const bool done = insert_by_tile<Lanes>(
      into, lanes, rows[row], static_cast<int>(row), events, [&](bool same, unsigned windows, unsigned) {
        count_windows(events, leads, same, windows, sectors_per_window<Table, Lanes>, all_events);
      });
  if (!done && leads) atomicMax(status, static_cast<int>(status_full));
  events.write(all_events);
}

}  // namespace ablate::hash_table
