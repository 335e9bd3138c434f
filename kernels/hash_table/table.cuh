#pragma once

#include "kernels/common/tally.cuh"
#include "kernels/hash_table/hash_table.h"
#include "kernels/hash_table/layouts/layout.cuh"

namespace ablate::hash_table {

/// A thread's event counts.
template <bool Instrumented>
using tally = event_tally<event, event_count, Instrumented>;

/// A table: where the slots lie, how a key finds its first one, and how it goes on. Passed to kernels by
/// value.
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

  /// A key on its way: the slot that it looks at, and how many it has looked at before.
  struct visit {
    key_type key;
    unsigned slot, step;
    unsigned looked = 0;
  };
  __device__ visit start(const coordinate& c, int row = no_row) const {
    return {slots_.key_of(c, row), Hash::of(c) & mask_, Sequence::step(c, mask_)};
  }
  /// To the next slot; false once all have been looked at.
  __device__ bool next(visit& v) const {
    v.slot = (v.slot + v.step) & mask_;
    return ++v.looked <= mask_;
  }

  __device__ int look(const visit& v) const { return slots_.look(v.slot, v.key); }

  /// The row of a coordinate, or −1; leaves the visit where it ended.
  __device__ int find(visit& v) const {
    int row = look(v);
    while (row == slot_other) row = next(v) ? look(v) : slot_empty;
    return row;
  }

  __host__ __device__ Layout& slots() { return slots_; }
  __device__ const Layout& slots() const { return slots_; }
  __device__ void clear(unsigned slot) { slots_.clear(slot, row_of_empty_); }
  __host__ __device__ unsigned mask() const { return mask_; }
  __device__ bool keeps_smallest() const { return row_of_empty_ == greatest_row; }

  __device__ int claim(const visit& v) { return slots_.claim(v.slot, v.key); }
  __device__ int peek(const visit& v) const { return slots_.peek(v.slot, v.key); }

  /// The row of a slot that was just claimed, or where the same key stood already.
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

/// Where the histogram counts an operation that looked at so many slots.
__device__ inline unsigned probe_bin(unsigned looked) {
  if (looked < exact_probe_bins) return looked;
  const unsigned power = 31 - __clz(looked);
  return exact_probe_bins + power - 6;
}

/// Counts an operation that has looked at so many slots, buckets or windows, and at so many sectors of keys.
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

/// Counts a key that has ended its way after `looked` slots from the first one on.
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
