// Interleaved slots claimed whole: one 128-bit compare-and-swap (sm_90) writes key and row together, so the
// row needs no store of its own and no thread ever sees a key without its row. Should move: L2 requests per
// insertion, from two to one.
#pragma once

#include "kernels/hash_table/layouts/layout.cuh"

namespace ablate::hash_table {

class interleaved_whole {
 public:
  struct key_type {
    unsigned long long key;
    int row;  ///< the row being inserted
  };
  static constexpr int keys_per_sector = 2;

  __host__ __device__ interleaved_whole(void* memory, long long, const coordinate*)
      : entries_(static_cast<ulonglong2*>(memory)) {}

  __device__ key_type key_of(const coordinate& c, int row) const { return {pack(c), row}; }
  /// Minima start from the claiming row, so row_of_empty is not stored.
  __device__ void clear(unsigned slot, int) { entries_[slot] = {0, 0}; }
  __device__ int look(unsigned slot, const key_type& key) const {
    const ulonglong2 seen = entries_[slot];
    if (seen.x == key.key) return static_cast<int>(seen.y);
    return seen.x == 0 ? slot_empty : slot_other;
  }
  __device__ int peek(unsigned slot, const key_type& key) const { return compared(entries_[slot].x, key); }
  __device__ int claim(unsigned slot, const key_type& key) {
    const unsigned long long before = swapped(slot, key);
    return before == 0 ? slot_mine : compared(before, key);
  }
  __device__ void store(unsigned, int) {}  // the claim already stored it
  __device__ void lower(unsigned slot, int row) { atomicMin(reinterpret_cast<int*>(&entries_[slot].y), row); }
  __device__ bool occupied(unsigned slot) const { return entries_[slot].x != 0; }
  __device__ unsigned long long key_at(unsigned slot) const { return entries_[slot].x; }

 private:
  __device__ static int compared(unsigned long long seen, const key_type& key) {
    return seen == key.key ? slot_same : seen == 0 ? slot_empty : slot_other;
  }
  /// The slot's previous key; if that was empty, the slot now holds `key` and its row.
  __device__ unsigned long long swapped(unsigned slot, const key_type& key) const {
#if __CUDA_ARCH__ >= 900
    const auto row = static_cast<unsigned long long>(static_cast<unsigned>(key.row));
    unsigned long long before;
    asm volatile(
        "{\n\t"
        ".reg .b128 e, d, b;\n\t"
        ".reg .b64 row;\n\t"
        "mov.b128 e, {%2, %2};\n\tmov.b128 d, {%3, %4};\n\t"
        "atom.global.cas.b128 b, [%1], e, d;\n\t"
        "mov.b128 {%0, row}, b;\n\t"
        "}"
        : "=l"(before)
        : "l"(entries_ + slot), "l"(0ull), "l"(key.key), "l"(row)
        : "memory");
    return before;
#else
    return 0;  // no variant with this layout runs before sm_90
#endif
  }

  ulonglong2* entries_;
};

}  // namespace ablate::hash_table
