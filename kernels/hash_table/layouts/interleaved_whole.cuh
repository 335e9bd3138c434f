// P16 claimed whole: key and row enter the slot together by one 128-bit compare-and-swap (sm_90), so a row
// needs no store of its own and nobody ever sees a key without its row. Should move: L2 requests an
// insertion, from two to one.
#pragma once

#include "kernels/hash_table/layouts/layout.cuh"

namespace ablate::hash_table {

class interleaved_whole {
 public:
  struct key_type {
    unsigned long long key;
    int row;  ///< of the row that is inserted
  };
  static constexpr int keys_per_sector = 2;

  __host__ __device__ interleaved_whole(void* memory, long long, const coordinate*)
      : entries_(static_cast<ulonglong2*>(memory)) {}

  __device__ key_type key_of(const coordinate& c, int row) const { return {pack(c), row}; }
  /// A row that takes minima starts with the claiming row: row_of_empty needs no place.
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
  __device__ void store(unsigned, int) {}  // the claim has stored it
  __device__ void lower(unsigned slot, int row) { atomicMin(reinterpret_cast<int*>(&entries_[slot].y), row); }
  __device__ bool occupied(unsigned slot) const { return entries_[slot].x != 0; }
  __device__ unsigned long long key_at(unsigned slot) const { return entries_[slot].x; }

 private:
  __device__ static int compared(unsigned long long seen, const key_type& key) {
    return seen == key.key ? slot_same : seen == 0 ? slot_empty : slot_other;
  }
  /// The key that stood in the slot; `key` and its row stand there now if it was none.
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
    return 0;  // no variant with this layout runs there
#endif
  }

  ulonglong2* entries_;
};

}  // namespace ablate::hash_table
