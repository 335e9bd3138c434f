// Search (docs/operations/hash_search.md). One thread per query reads slots, starting at the one its key
// hashes to, until one holds the key, whose row is the answer, or is empty, which is a miss; without
// deletions, a key is never past an empty slot of its own probe sequence. A thread looks up `InFlight`
// queries at once: it issues the loads of their first slots, where most searches end, before waiting for any.
#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/hash_table/insert.cuh"

namespace ablate::hash_table {

/// Maps the query into the table's range; false if it can only miss.
__device__ inline bool admissible(coordinate& c, bool guards) {
  if (guards) return in_range(c);
  c = wrapped(c);
  return true;
}

template <class Table, int InFlight, bool Instrumented>
__global__ __launch_bounds__(table_threads) void search_rows(const Table in, const coordinate* queries,
                                                             long long count, bool guards, int* found,
                                                             unsigned long long* all_events) {
  tally<Instrumented> events;
  const long long first = static_cast<long long>(blockIdx.x) * (table_threads * InFlight) + threadIdx.x;
  typename Table::visit way[InFlight];
  int row[InFlight];
  bool asks[InFlight];
#pragma unroll
  for (int k = 0; k < InFlight; ++k) {
    const long long query = first + k * table_threads;
    coordinate c{};
    if (query < count) c = queries[query];
    asks[k] = query < count && admissible(c, guards);
    way[k] = in.start(c);
  }
#pragma unroll
  for (int k = 0; k < InFlight; ++k) row[k] = asks[k] ? in.look(way[k]) : slot_empty;
#pragma unroll
  for (int k = 0; k < InFlight; ++k) {
    const long long query = first + k * table_threads;
    if (query >= count) continue;
    const unsigned start = way[k].slot;
    row[k] = follow(in, way[k], row[k]);
    found[query] = row[k];
    if (asks[k])
      count_visit<typename Table::layout, typename Table::sequence>(
          events, row[k] >= 0, start, min(way[k].looked, in.mask()) + 1, all_events);
  }
  events.write(all_events);
}

}  // namespace ablate::hash_table
