// Packed buckets: the arrays of split.cuh, read `Slots` keys at a time by 128-bit loads of one sector (4
// keys) or two (8). A bucket's slots fill in order, so the last one tells whether it is full.
// passed_keys::marked: it also tells whether a key has gone past the bucket: its bit 63, set in every key, is
// then cleared. Zero still means empty, so the one key with only bit 63 set never loses it and counts as
// marked.
#pragma once

#include "kernels/hash_table/layouts/split.cuh"

namespace ablate::hash_table {

template <int Slots, passed_keys Passed>
class split_buckets : public split {
 public:
  static constexpr int slots_per_bucket = Slots, sectors_per_bucket = Slots / keys_per_sector;
  static constexpr bool marks = Passed == passed_keys::marked;
  static constexpr unsigned atomics_of_mark = 1;
  static constexpr int last = Slots - 1;

  using split::split;

  struct bucket {
    key_type keys[Slots];
    /// Whether this place holds the key.
    __device__ bool has(int place, key_type key) const {
      const key_type seen = keys[place];
      return marks && place == last ? seen != 0 && (seen | top) == key : seen == key;
    }
    __device__ bool is_empty(int place) const { return keys[place] == 0; }
    /// Whether keys may have gone past. 1 … top are the keys without bit 63, and top itself.
    __device__ bool is_passed() const { return marks ? keys[last] - 1 < top : keys[last] != 0; }
  };
  __device__ bucket read(unsigned number) const {
    const auto* const pairs = reinterpret_cast<const ulonglong2*>(keys_ + number * Slots);
    bucket all;
#pragma unroll
    for (int i = 0; i < Slots; i += 2) {
      const ulonglong2 pair = pairs[i / 2];
      all.keys[i] = pair.x;
      all.keys[i + 1] = pair.y;
    }
    return all;
  }
  __device__ int look_in(unsigned number, key_type key) const {
    const bucket seen = read(number);
    int found = Slots;
#pragma unroll
    for (int place = 0; place < Slots; ++place)
      if (seen.has(place, key)) found = place;
    if (found < Slots) return rows_[number * Slots + found];
    return seen.is_passed() ? slot_other : slot_empty;
  }

  __device__ int claim(unsigned slot, key_type key) {
    const key_type before = atomicCAS(keys_ + slot, 0ull, key);
    return before == 0 ? slot_mine : whole(before) == key ? slot_same : slot_other;
  }
  __device__ key_type key_at(unsigned slot) const { return whole(keys_[slot]); }
  /// Marks a full bucket that a key goes past.
  __device__ void mark(unsigned number) {
    key_type* const stands = keys_ + number * Slots + last;
    if (*static_cast<volatile key_type*>(stands) != top) atomicAnd(stands, ~top);
  }

 private:
  static constexpr key_type top = 1ull << 63;

  __device__ static key_type whole(key_type stored) { return marks ? stored | top : stored; }
};

}  // namespace ablate::hash_table
