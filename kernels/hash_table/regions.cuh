// Interleaved tables finished in shared memory and written once. Insertion at random costs each row a sector
// fetched, a compare-and-swap and a write-back; here the table itself is never read, cleared or changed in
// device memory. It is cut into regions of 8192 neighboring slots, as many as a block can hold:
//   1. deal (deal_to_regions.cuh): each row goes, as (key, home slot, row), to the region of its home slot,
//      the high bits of its hash. A region's own slots are its queue, since a region has hardly ever more
//      rows than slots.
//   2. build (build_regions.cuh): a block reads the queue of a region, puts its keys into shared memory as
//      linear probing would, and stores the whole region, empty slots included, over its queue.
//   3. spill: what probed past the end of its region (one row in four regions at load .5, 1.6 in each at
//      .8), or found its queue full, is inserted into the finished table by a warp each: all slots from its
//      home to the region's end are taken, so its key is where a search looks.
// Should move: DRAM bytes per row, to 16 read, 16 written and read again in runs, and the table written once;
// global atomics per row, from one or two to half a one at 2^25 slots, a sixteenth at 2^22.
#pragma once

#include "kernels/hash_table/hashes.cuh"
#include "kernels/hash_table/layouts/interleaved.cuh"
#include "kernels/hash_table/table.cuh"

namespace ablate::hash_table {

constexpr unsigned max_slots_of_region = 8192, max_regions = 4096;

/// The regions' queues in the table, and what does not fit there, after it.
struct region_table {
  static constexpr unsigned cursor_words = 8;  ///< a sector to each cursor

  ulonglong2* slots;         ///< [regions][slots of a region]: queued, key; slot << 32 | row
  unsigned* spilled_count;   ///< [1]
  unsigned* cursors;         ///< [regions][cursor_words]: rows queued, possibly more than fit
  int* spilled;              ///< [rows]
  unsigned mask, of_region;  ///< of all slots; slots of a region
  int shift;                 ///< region = slot >> shift
  unsigned regions;
  int row_of_empty;

  explicit region_table(const problem& p)
      : slots(static_cast<ulonglong2*>(p.table)),
        mask(static_cast<unsigned>(p.slots - 1)),
        of_region(static_cast<unsigned>(p.slots < max_slots_of_region ? p.slots : max_slots_of_region)),
        shift(0),
        regions(static_cast<unsigned>(p.slots / of_region)),
        row_of_empty(p.keeps_smallest ? greatest_row : no_row) {
    while (1u << shift < of_region) ++shift;
    spilled_count = reinterpret_cast<unsigned*>(slots + p.slots);
    cursors = spilled_count + cursor_words;
    spilled = reinterpret_cast<int*>(cursors + regions * cursor_words);
  }

  __device__ unsigned slot_of(unsigned long long key) const {
    return static_cast<unsigned>(splitmix_of(key)) & mask;
  }
  __device__ bool keeps_smallest() const { return row_of_empty == greatest_row; }
  __device__ void spill(int row) const { spilled[atomicAdd(spilled_count, 1u)] = row; }

  /// Reserves places in a region's queue; returns the first.
  __device__ unsigned reserve(unsigned region, unsigned places) const {
    return atomicAdd(cursors + region * cursor_words, places);
  }
  /// Puts a row at a place of its region's queue.
  __device__ void queue(unsigned place, unsigned long long key, unsigned slot, int row) const {
    if (place >= of_region) return spill(row);
    slots[static_cast<std::size_t>(slot >> shift) * of_region + place] = {
        key, static_cast<unsigned long long>(slot) << 32 | static_cast<unsigned>(row)};
  }
};

}  // namespace ablate::hash_table
