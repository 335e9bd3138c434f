#pragma once

#include "kernels/common/tally.cuh"
#include "kernels/hash_table/hash_table.h"
#include "kernels/hash_table/layouts/layout.cuh"

namespace ablate::hash_table {

/// A thread's event counts.
template <bool Instrumented>
using tally = event_tally<event, event_count, Instrumented>;

/// Goes on with a search that has looked at its first slot or bucket, with this result: the row, or −1.
/// Leaves the visit where it ended.
template <class Table>
__device__ int follow(const Table& in, typename Table::visit& way, int row) {
  while (row == slot_other) row = in.next(way) ? in.look(way) : slot_empty;
  return row;
}

/// A table: slot layout, hash and probe sequence. Passed to kernels by value.
template <class Layout, class Hash, class Sequence>
class table {
 public:
  using layout = Layout;
  using sequence = Sequence;
  using key_type = typename Layout::key_type;

  explicit table(const problem& p)
      : slots_(p.table, p.slots, reinterpret_cast<const coordinate*>(p.coordinates)),
        mask_(static_cast<unsigned>(p.slots - 1)),
        row_of_empty_(p.keeps_smallest ? greatest_row : no_row) {}

  /// A key's position in its probe sequence: the current slot, and how many were probed before it.
  struct visit {
    key_type key;
    unsigned slot, step;
    unsigned looked = 0;
  };
  __device__ visit start(const coordinate& c, int row = no_row) const {
    return {slots_.key_of(c, row), Hash::of(c) & mask_, Sequence::step(c, mask_)};
  }
  /// Moves to the next slot; false once all have been probed.
  __device__ bool next(visit& v) const {
    v.slot = (v.slot + v.step) & mask_;
    return ++v.looked <= mask_;
  }

  __device__ int look(const visit& v) const { return slots_.look(v.slot, v.key); }

  /// The row of a coordinate, or −1; leaves the visit at the slot where it ended.
  __device__ int find(visit& v) const { return follow(*this, v, look(v)); }

  __host__ __device__ Layout& slots() { return slots_; }
  __device__ const Layout& slots() const { return slots_; }
  __device__ void clear(unsigned slot) { slots_.clear(slot, row_of_empty_); }
  __host__ __device__ unsigned mask() const { return mask_; }
  __device__ bool keeps_smallest() const { return row_of_empty_ == greatest_row; }

  __device__ int claim(const visit& v) { return slots_.claim(v.slot, v.key); }
  __device__ int peek(const visit& v) const { return slots_.peek(v.slot, v.key); }

  /// Settles the row of a slot that was just claimed, or that already held the same key.
  template <bool Instrumented>
  __device__ void settle(unsigned slot, int row, bool mine, tally<Instrumented>& events) {
    if (keeps_smallest()) {
      slots_.lower(slot, row);
      events.add(atomics);
    } else if (mine) {
      slots_.store(slot, row);
    }
  }

 private:
  Layout slots_;
  unsigned mask_;
  int row_of_empty_;
};

/// The histogram bin of an operation that probed `looked` slots.
__device__ inline unsigned probe_bin(unsigned looked) {
  if (looked < exact_probe_bins) return looked;
  const unsigned power = 31 - __clz(looked);
  return exact_probe_bins + power - 6;
}

/// Counts an operation that probed `looked` slots, buckets or windows and read `key_sectors` sectors of keys.
template <bool Instrumented>
__device__ void count_operation(tally<Instrumented>& events, bool hit, unsigned looked, unsigned key_sectors,
                                unsigned long long* all_events) {
  if constexpr (Instrumented) {
    events.add(operations);
    if (hit) events.add(hits);
    events.add(hit ? probes_of_hits : probes_of_misses, looked);
    events.add(sectors, key_sectors);
    atomicMax(all_events + longest, static_cast<unsigned long long>(looked));
    atomicAdd(all_events + (hit ? hit_histogram : miss_histogram) + probe_bin(looked), 1ull);
  }
}

/// Counts a key whose probe sequence ended after `looked` slots, the first included.
template <class Layout, class Sequence, bool Instrumented>
__device__ void count_visit(tally<Instrumented>& events, bool hit, unsigned first_slot, unsigned looked,
                            unsigned long long* all_events) {
  if constexpr (Instrumented) {
    constexpr unsigned per_sector = Layout::keys_per_sector;
    count_operation(events, hit, looked,
                    Sequence::neighbors ? (first_slot % per_sector + looked - 1) / per_sector + 1 : looked,
                    all_events);
  }
}

}  // namespace ablate::hash_table
