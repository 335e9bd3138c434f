// Key and row side by side in 16 bytes. A probe reads both in one 128-bit access, so a hit costs no second
// sector, and the row is stored into the sector that the claim has just fetched; but only two keys share a
// sector. Should move: sectors per hit and per insertion, down to one; sectors of long misses, up.
#pragma once

#include "kernels/hash_table/layouts/layout.cuh"

namespace ablate::hash_table {

class interleaved {
 public:
  using key_type = unsigned long long;
  static constexpr int keys_per_sector = 2;

  __host__ __device__ interleaved(void* memory, long long, const coordinate*)
      : entries_(static_cast<ulonglong2*>(memory)) {}

  __device__ key_type key_of(const coordinate& c, int) const { return pack(c); }
  __device__ void clear(unsigned slot, int row_of_empty) {
    entries_[slot] = {0, static_cast<unsigned>(row_of_empty)};
  }
  __device__ int look(unsigned slot, key_type key) const {
    const ulonglong2 seen = entries_[slot];
    if (seen.x == key) return static_cast<int>(seen.y);
    return seen.x == 0 ? slot_empty : slot_other;
  }
  __device__ int peek(unsigned slot, key_type key) const { return compared(entries_[slot].x, key); }
  __device__ int claim(unsigned slot, key_type key) {
    const key_type before = atomicCAS(&entries_[slot].x, 0ull, key);
    return before == 0 ? slot_mine : compared(before, key);
  }
  __device__ void store(unsigned slot, int row) { *row_at(slot) = row; }
  __device__ void lower(unsigned slot, int row) { atomicMin(row_at(slot), row); }
  __device__ bool occupied(unsigned slot) const { return entries_[slot].x != 0; }
  __device__ key_type key_at(unsigned slot) const { return entries_[slot].x; }

 protected:
  __device__ static int compared(key_type seen, key_type key) {
    return seen == key ? slot_same : seen == 0 ? slot_empty : slot_other;
  }
  __device__ int* row_at(unsigned slot) const { return reinterpret_cast<int*>(&entries_[slot].y); }

  ulonglong2* entries_;
};

}  // namespace ablate::hash_table
