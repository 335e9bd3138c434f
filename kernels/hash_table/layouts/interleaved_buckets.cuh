// Interleaved buckets of four slots: 64 bytes, the unit in which device memory is read. The same accesses
// fetch keys and rows. A bucket's slots fill in order, so the last one tells whether it is full.
// passed_keys::marked: that slot's unused word is 1 once a key has gone past the bucket.
#pragma once

#include "kernels/hash_table/layouts/interleaved.cuh"

namespace ablate::hash_table {

template <passed_keys Passed>
class interleaved_buckets : public interleaved {
 public:
  static constexpr int slots_per_bucket = 4, sectors_per_bucket = slots_per_bucket / keys_per_sector;
  static constexpr bool marks = Passed == passed_keys::marked;
  static constexpr unsigned atomics_of_mark = 0;
  static constexpr int last = slots_per_bucket - 1;

  using interleaved::interleaved;

  struct bucket {
    ulonglong2 entries[slots_per_bucket];
    /// Whether this place holds the key.
    __device__ bool has(int place, key_type key) const { return entries[place].x == key; }
    __device__ bool is_empty(int place) const { return entries[place].x == 0; }
    /// Whether keys may have gone past.
    __device__ bool is_passed() const { return marks ? entries[last].y >> 32 != 0 : entries[last].x != 0; }
  };
  __device__ bucket read(unsigned number) const {
    bucket all;
#pragma unroll
    for (int place = 0; place < slots_per_bucket; ++place)
      all.entries[place] = entries_[number * slots_per_bucket + place];
    return all;
  }
  __device__ int look_in(unsigned number, key_type key) const {
    const bucket seen = read(number);
    int row = seen.is_passed() ? slot_other : slot_empty;
#pragma unroll
    for (int place = 0; place < slots_per_bucket; ++place)
      if (seen.has(place, key)) row = static_cast<int>(seen.entries[place].y);
    return row;
  }
  /// Marks a full bucket that a key goes past.
  __device__ void mark(unsigned number) { row_at(number * slots_per_bucket + last)[1] = 1; }
};

}  // namespace ablate::hash_table
