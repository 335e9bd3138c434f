#pragma once

#include "kernels/common/switches.h"
#include "kernels/hash_table/cooperative.cuh"
#include "kernels/hash_table/hashes.cuh"
#include "kernels/hash_table/sequences.cuh"

namespace ablate::hash_table {

template <class Table>
__global__ __launch_bounds__(table_threads) void clear_slots(Table all, int* status) {
  const long long slot = static_cast<long long>(blockIdx.x) * table_threads + threadIdx.x;
  if (slot == 0) *status = status_ok;
  if (slot <= all.mask()) all.clear(static_cast<unsigned>(slot));
}

__global__ void zero_summary(std::uint64_t* summary);

/// summary[0] += occupied slots, summary[1] += their mixed keys.
template <class Table>
__global__ __launch_bounds__(table_threads) void sum_slots(const Table all, unsigned long long* summary) {
  const long long slot = static_cast<long long>(blockIdx.x) * table_threads + threadIdx.x;
  const bool occupied = slot <= all.mask() && all.slots().occupied(static_cast<unsigned>(slot));
  unsigned long long sum = occupied ? splitmix_of(all.slots().key_at(static_cast<unsigned>(slot))) : 0;
  const unsigned count = __popc(__ballot_sync(~0u, occupied));
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_down_sync(~0u, sum, lane);
  if (threadIdx.x % 32 != 0 || count == 0) return;
  atomicAdd(summary, static_cast<unsigned long long>(count));
  atomicAdd(summary + 1, sum);
}

inline const coordinate* coordinates_of(const std::int32_t* words) {
  return reinterpret_cast<const coordinate*>(words);
}

/// In one form: enough for a table whose insertions are not counted.
template <class Table, insertion Policy, int InFlight = 1, bool Instrumented = false>
void insert_in_form(launcher& to, const problem& p) {
  launch(to, insert_rows<Table, Policy, InFlight, Instrumented>,
         dim3(blocks_for(p.rows, table_threads * InFlight)), dim3(table_threads), 0, Table(p),
         coordinates_of(p.coordinates), p.rows, p.status, p.events);
}

template <class Table, insertion Policy, int InFlight = 1>
void insert_all(launcher& to, const problem& p) {
  with_form(p, [&](auto instrumented) { insert_in_form<Table, Policy, InFlight, instrumented>(to, p); });
}

template <class Table, int Lanes>
void insert_all_by_tiles(launcher& to, const problem& p) {
  with_form(p, [&](auto instrumented) {
    launch(to, insert_by_tiles<Table, Lanes, instrumented>, dim3(blocks_for(p.rows, table_threads / Lanes)),
           dim3(table_threads), 0, Table(p), coordinates_of(p.coordinates), p.rows, p.status, p.events);
  });
}

/// In one form: enough for a table searched only for its read-back.
template <class Table, int InFlight = 1, bool Instrumented = false>
void search_in_form(launcher& to, const problem& p, const std::int32_t* queries, std::int64_t count) {
  launch(to, search_rows<Table, InFlight, Instrumented>, dim3(blocks_for(count, table_threads * InFlight)),
         dim3(table_threads), 0, Table(p), coordinates_of(queries), count, p.guards, p.found, p.events);
}

template <class Table, int InFlight>
void search_all(launcher& to, const problem& p, const std::int32_t* queries, std::int64_t count) {
  with_form(p,
            [&](auto instrumented) { search_in_form<Table, InFlight, instrumented>(to, p, queries, count); });
}

template <class Table, int Lanes>
void search_all_by_tiles(launcher& to, const problem& p, const std::int32_t* queries, std::int64_t count) {
  with_form(p, [&](auto instrumented) {
    launch(to, search_by_tiles<Table, Lanes, instrumented>, dim3(blocks_for(count, table_threads / Lanes)),
           dim3(table_threads), 0, Table(p), coordinates_of(queries), count, p.guards, p.found, p.events);
  });
}

/// Runs the phases that the problem requests, on tables of one type.
template <class Table>
void run_phases(launcher& to, const problem& p, void (*insert)(launcher&, const problem&),
                void (*search)(launcher&, const problem&, const std::int32_t*, std::int64_t)) {
  if (p.does(phase::clear))
    launch(to, clear_slots<Table>, dim3(blocks_for(p.slots, table_threads)), dim3(table_threads), 0, Table(p),
           p.status);
  if (p.does(phase::insert)) insert(to, p);
  if (p.does(phase::search)) search(to, p, p.wanted, p.queries);
  if (p.does(phase::read_back)) {
    search(to, p, p.coordinates, p.rows);
    launch(to, zero_summary, dim3(1), dim3(1), 0, p.summary);
    launch(to, sum_slots<Table>, dim3(blocks_for(p.slots, table_threads)), dim3(table_threads), 0, Table(p),
           reinterpret_cast<unsigned long long*>(p.summary));
  }
}

/// One thread per row or query.
template <class Layout, class Hash, class Sequence, insertion Policy = insertion::cas_first, int InFlight = 1>
void run_threads(launcher& to, const problem& p) {
  using of = table<Layout, Hash, Sequence>;
  run_phases<of>(to, p, insert_all<of, Policy, InFlight>, search_all<of, InFlight>);
}

/// One thread per row, by compare-and-swap; one per `InFlight` queries.
template <class Layout, class Hash, class Sequence, int InFlight>
void run_searches_in_flight(launcher& to, const problem& p) {
  using of = table<Layout, Hash, Sequence>;
  run_phases<of>(to, p, insert_all<of, insertion::cas_first>, search_all<of, InFlight>);
}

/// A tile of lanes per row or query.
template <class Layout, class Hash, int Lanes>
void run_tiles(launcher& to, const problem& p) {
  using of = table<Layout, Hash, linear>;
  run_phases<of>(to, p, insert_all_by_tiles<of, Lanes>, search_all_by_tiles<of, Lanes>);
}

}  // namespace ablate::hash_table
