// Bucketed tables. A key hashes to a bucket of neighboring slots, which one thread reads whole by 128-bit
// loads of one or two sectors; the next bucket is probed only if this one is full of other keys (in marked
// tables: and a key has gone past it), at an odd stride from a second hash of the key, so that all are
// visited. Keys fill a bucket from its first slot on and overflow
// only when it is full, and nothing is deleted, so a key is never past an empty slot of its own probe
// sequence.
//
// The table's arrays are split into buckets of b slots. Expected buckets per hit, per miss, and of the
// longest of a warp's 32 misses, a mean over warps (from the formulas in cost.h; simulated at 2^22 slots
// where there is none):
//   load                        .50                .70                .80                .90
//   single slots, linear   1.50 2.50 11.3     2.17 6.07 34.8     3.00 13.0 80.9     5.51 50.7  340
//   b = 4, linear          1.05 1.23 3.36     1.19 2.07 9.16     1.39 3.79 21.0     2.00 13.2 86.0
//   b = 4, double hashing  1.04 1.19 2.70     1.14 1.65 4.88     1.24 2.26 7.46     1.43 4.08 14.9
//   b = 4, marked          1.04 1.07 1.98     1.14 1.28 3.16     1.24 1.57 4.51     1.43 2.41 8.06
//   b = 8, double hashing  1.01 1.06 1.92     1.05 1.32 3.34     1.11 1.70 5.05     1.22 2.87 9.93
// The 99th percentile of misses at load .80 is 94, 25, 8, 5 and 6. Neighboring single slots share sectors, so
// linear buckets save requests and rounds but hardly any sectors (4.00 versus 3.79); a second hash saves
// both. Should move: dependent reads per warp and sectors per miss, down.
#pragma once

#include "kernels/hash_table/phases.cuh"

namespace ablate::hash_table {

/// A table probed bucket by bucket. A bucket layout is a layout (layouts/layout.cuh) that also has
///   bucket read(number)             the keys of a bucket: has(place, key), is_empty(place), is_passed()
///   int look_in(number, key)        row, slot_empty or slot_other, for the bucket; not while others insert
///   mark(number)                    if `marks`: records that a key goes past, by `atomics_of_mark` atomics
template <class Layout, class Hash, class Sequence>
class bucket_table : public table<Layout, Hash, Sequence> {
  using slot_table = table<Layout, Hash, Sequence>;

 public:
  using key_type = typename Layout::key_type;
  using slot_table::slot_table;

  /// A key's position in its probe sequence: the current bucket, and how many were probed before it.
  struct visit {
    key_type key;
    unsigned bucket, step;
    unsigned looked = 0;
  };
  __device__ visit start(const coordinate& c) const {
    return {this->slots().key_of(c, no_row), Hash::of(c) & bucket_mask(), Sequence::step(c, bucket_mask())};
  }
  /// Moves to the next bucket; false once all have been probed.
  __device__ bool next(visit& v) const {
    v.bucket = (v.bucket + v.step) & bucket_mask();
    return ++v.looked <= bucket_mask();
  }
  __device__ int look(const visit& v) const { return this->slots().look_in(v.bucket, v.key); }
  __device__ unsigned bucket_mask() const { return this->mask() / Layout::slots_per_bucket; }
};

template <class Table, bool Instrumented>
__global__ __launch_bounds__(table_threads) void search_buckets(const Table in, const coordinate* queries,
                                                                long long count, bool guards, int* found,
                                                                unsigned long long* all_events) {
  tally<Instrumented> events;
  const long long query = static_cast<long long>(blockIdx.x) * table_threads + threadIdx.x;
  if (query >= count) return;
  coordinate c = queries[query];
  int row = slot_empty;
  if (admissible(c, guards)) {
    auto way = in.start(c);
    row = follow(in, way, in.look(way));
    const unsigned looked = min(way.looked, in.bucket_mask()) + 1;
    count_operation(events, row >= 0, looked, looked * Table::layout::sectors_per_bucket, all_events);
  }
  found[query] = row;
  events.write(all_events);
}

/// Inserts a row into the current bucket of `v`: slot_mine, slot_same, or slot_other if it is full.
template <class Table, bool Instrumented>
__device__ int insert_into_bucket(Table& into, const typename Table::visit& v, int row,
                                  tally<Instrumented>& events) {
  constexpr int slots = Table::layout::slots_per_bucket;
  const auto seen = into.slots().read(v.bucket);
  int place = slots;
  bool is_there = false;
#pragma unroll
  for (int i = slots - 1; i >= 0; --i) {
    if (!seen.has(i, v.key) && !seen.is_empty(i)) continue;
    place = i;
    is_there = !seen.is_empty(i);
  }
  // The read may be stale: an occupied slot does not change, but one that looked empty may hold a key by the
  // time it is claimed. Claiming slot by slot makes equal keys meet.
  int found = is_there ? slot_same : slot_other;
  for (; found == slot_other && place < slots; ++place) {
    found = into.slots().claim(v.bucket * slots + place, v.key);
    events.add(atomics);
    if (found != slot_other) break;
  }
  if (found != slot_other) {
    into.settle(v.bucket * slots + place, row, found == slot_mine, events);
  } else if (Table::layout::marks && !seen.is_passed()) {
    into.slots().mark(v.bucket);
    events.add(atomics, Table::layout::atomics_of_mark);
  }
  return found;
}

template <class Table, bool Instrumented>
__global__ __launch_bounds__(table_threads) void insert_into_buckets(Table into, const coordinate* rows,
                                                                     long long count, int* status,
                                                                     unsigned long long* all_events) {
  tally<Instrumented> events;
  const long long row = static_cast<long long>(blockIdx.x) * table_threads + threadIdx.x;
  if (row >= count) return;
  auto way = into.start(rows[row]);
  int found = insert_into_bucket(into, way, static_cast<int>(row), events);
  while (found == slot_other && into.next(way))
    found = insert_into_bucket(into, way, static_cast<int>(row), events);
  if (found == slot_other) {
    atomicMax(status, static_cast<int>(status_full));
  } else {
    const unsigned looked = way.looked + 1;
    count_operation(events, found == slot_same, looked, looked * Table::layout::sectors_per_bucket,
                    all_events);
  }
  events.write(all_events);
}

template <class Table>
void insert_all_into_buckets(launcher& to, const problem& p) {
  with_form(p, [&](auto instrumented) {
    launch(to, insert_into_buckets<Table, instrumented>, dim3(blocks_for(p.rows, table_threads)),
           dim3(table_threads), 0, Table(p), coordinates_of(p.coordinates), p.rows, p.status, p.events);
  });
}

template <class Table>
void search_all_buckets(launcher& to, const problem& p, const std::int32_t* queries, std::int64_t count) {
  with_form(p, [&](auto instrumented) {
    launch(to, search_buckets<Table, instrumented>, dim3(blocks_for(count, table_threads)),
           dim3(table_threads), 0, Table(p), coordinates_of(queries), count, p.guards, p.found, p.events);
  });
}

template <class Layout>
void run_buckets(launcher& to, const problem& p) {
  using of = bucket_table<Layout, splitmix, double_hash>;
  run_phases<of>(to, p, insert_all_into_buckets<of>, search_all_buckets<of>);
}

}  // namespace ablate::hash_table
