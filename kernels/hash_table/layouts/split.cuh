// The published table: 8-byte packed keys in one array, 4-byte rows in another. A probe reads one 64-bit
// word, four to a sector; only a hit reads the row. Should move: L2 sectors per probe, down from
// vector keys; on a hit, one sector more than with the row beside the key.
#pragma once

#include "kernels/hash_table/layouts/layout.cuh"

namespace ablate::hash_table {

class split {
 public:
  using key_type = unsigned long long;
  static constexpr int keys_per_sector = 4;

  __host__ __device__ split(void* memory, long long slots, const coordinate*)
      : keys_(static_cast<key_type*>(memory)), rows_(reinterpret_cast<int*>(keys_ + slots)) {}

  __device__ key_type key_of(const coordinate& c, int) const { return pack(c); }
  __device__ void clear(unsigned slot, int row_of_empty) {
    keys_[slot] = 0;
    rows_[slot] = row_of_empty;
  }
  __device__ int look(unsigned slot, key_type key) const {
    const key_type seen = keys_[slot];
    if (seen == key) return rows_[slot];
    return seen == 0 ? slot_empty : slot_other;
  }
  __device__ int peek(unsigned slot, key_type key) const { return compared(keys_[slot], key); }
  __device__ int claim(unsigned slot, key_type key) {
    const key_type before = atomicCAS(keys_ + slot, 0ull, key);
    return before == 0 ? slot_mine : compared(before, key);
  }
  __device__ void store(unsigned slot, int row) { rows_[slot] = row; }
  __device__ void lower(unsigned slot, int row) { atomicMin(rows_ + slot, row); }
  __device__ bool occupied(unsigned slot) const { return keys_[slot] != 0; }
  __device__ key_type key_at(unsigned slot) const { return keys_[slot]; }
  __device__ int row_at(unsigned slot) const { return rows_[slot]; }

 protected:
  __device__ static int compared(key_type seen, key_type key) {
    return seen == key ? slot_same : seen == 0 ? slot_empty : slot_other;
  }

  key_type* keys_;
  int* rows_;
};

}  // namespace ablate::hash_table
